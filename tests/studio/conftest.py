import pytest

from shortlist.studio import Desk
from shortlist.studio.web.service import Service
from tests.project.news import make


def pytest_collection_modifyitems(items):
    """The studio works in threads, and filters of warnings are shared by all threads of Python before 3.14."""
    for item in items:
        if "studio" in item.path.parts:
            item.add_marker(pytest.mark.filterwarnings("ignore::shortlist.errors.ShortlistWarning"))


@pytest.fixture
def folder(tmp_path):
    """The news project, made anew."""
    make(tmp_path / "news")
    return tmp_path / "news"


@pytest.fixture
def desk(folder):
    """The project, open in the studio."""
    found = Desk(folder)
    found.look("opened")
    yield found
    found.close()


@pytest.fixture
def service(desk):
    return Service(desk)
