import pytest

from tests.project.news import make


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """The news project, with votes and a model."""
    project = make(tmp_path_factory.mktemp("news") / "project")
    project.run(["fit"])
    return project.session
