"""docs/project.md says what is so: its toml is read, its exit codes are those there are."""

import re
import tomllib
from pathlib import Path

from shortlist.project.code.toml_labelers import toml_labelers
from shortlist.project.settings import _TABLES, Settings
from shortlist.project.stages.run import STAGES

PAGE = (Path(__file__).parents[2] / "docs" / "project.md").read_text("utf-8")
(TOML,) = re.findall(r"```toml\n(version = .*?)```", PAGE, re.DOTALL)


def test_the_commented_toml_is_read(tmp_path):
    (tmp_path / "shortlist.toml").write_text(TOML, "utf-8")
    settings = Settings.read(tmp_path)
    names = ["money", "election", "like_derby", "numbers", "vote"]
    assert [labeler.name for labeler in toml_labelers(settings)[0]] == names
    assert settings.data.types == {"zip_code": "text"}


def test_every_setting_is_on_the_page():
    """Commented ones are put back first."""
    whole = tomllib.loads(re.sub(r"^# (?=\w+ = )", "", TOML, flags=re.MULTILINE))
    for table, checks in _TABLES.items():
        assert set(checks) - {"*"} <= set(whole[table]), table


def test_outputs_and_exit_codes(tmp_path):
    (tmp_path / "shortlist.toml").write_text(TOML, "utf-8")
    settings = Settings.read(tmp_path)
    for name, stage in STAGES.own.items():
        for output in stage.outputs(settings):
            assert re.search(rf"^out/{re.escape(output)} +{name} ", PAGE, re.MULTILINE)
    assert re.findall(r"^\| (\d+) \| .* \|$", PAGE, re.MULTILINE) == ["0", "1", "2", "3", "4", "5", "130"]
