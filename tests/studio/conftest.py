import pytest

from shortlist.studio import OpenProject
from shortlist.studio.service import Service
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
def project(folder):
    """The project, open in the studio."""
    found = OpenProject(folder)
    found.refresh("opened")
    yield found
    found.close()


@pytest.fixture
def service(project):
    return Service(project)
