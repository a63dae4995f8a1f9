"""Advice is in the language of where a labeler stands, and what it says to write works as it is written."""

import re
import tomllib

import pytest

import shortlist
from shortlist import LabelModel
from shortlist.labelers import Labeler
from shortlist.project import BadProject
from shortlist.project.code.places import Places
from shortlist.reporting.snippets import MOST_LINES, Snippets, free_name
from tests.project.news import LABELERS, TOML, edit, make


class Both(Labeler):
    """Some labeler of another kind."""

    name, says = "both", (frozenset({"sports"}),)

    def vote(self, columns, codebook):
        raise NotImplementedError

    def __call__(self, row):
        raise NotImplementedError


def places(folder, **how):
    return Places(make(folder, **how).session.roster)


def test_a_labeler_of_the_toml_gets_a_line_of_toml(tmp_path):
    """It was told `money = keywords(…)`, which made a second labeler of that name."""
    line = places(tmp_path).second_answer("money", ["business"])
    assert line == 'no = { not = "business" }    # in shortlist.toml, at the labeler "money"'
    assert make(tmp_path, toml=TOML + line).session.roster.labelers[0].no.classes == {"business"}
    assert 'not = ["business", "a \\"b\\""]' in places(tmp_path).second_answer("money", ["business", 'a "b"'])


def test_a_pattern_of_labelers_py_gets_python(tmp_path):
    line = places(tmp_path).second_answer("polls", ["politics"])
    assert line == '# add no=Not("politics") to polls (labelers.py, line 27)'
    assert LABELERS.splitlines()[26].startswith("polls = ")


def test_a_function_is_told_to_declare_what_it_says(tmp_path):
    """Done to the letter, the advice was an error: the new answer was not among what it says."""
    told = places(tmp_path).second_answer("sport", ["sports"])
    assert told.startswith("# sport (labelers.py, line 14): ")
    declared = re.search(r"(@labeler\(says=.*?\])\)", told)[0]
    assert declared == '@labeler(says=["sports", Not("sports")])'
    body = 'return "sports"\n'
    followed = LABELERS.replace('@labeler(says=["sports"])', declared).replace(
        f"        {body}", f'        {body}    return Not("sports")\n'
    )
    make(tmp_path, labelers=followed).run(["vote"])
    two = places(tmp_path).second_answer("sport", ["sports", "politics"])
    assert '@labeler(says=[{"sports", "politics"}, Not("sports", "politics")])' in two


def test_a_balance_can_be_pasted_whatever_classes_are_called(tmp_path):
    shares = {"a \"b\", 'c'": 0.5, "ü = {1} # no": 0.25, "back\\slash": 0.25}
    line = places(tmp_path).balance(shares)
    assert line.endswith("# in shortlist.toml, under [label_model]; as in the votes: write what you know")
    assert tomllib.loads(line)["balance"] == shares
    assert eval(Snippets().balance(shares), {"model": LabelModel()}).balance == shares
    many = {f"class {j}": 1 / (MOST_LINES + 1) for j in range(MOST_LINES + 1)}
    for told in (places(tmp_path).balance(many), Snippets().balance(many)):
        assert told.startswith("# ")
        assert '"class 0"' in told
        assert told.endswith("with a share for each class")


def test_a_function_that_declares_nothing(tmp_path):
    told = places(tmp_path, labelers=LABELERS.replace('@labeler(says=["sports"])', "@labeler"))
    line = told.second_answer("sport", ["sports"])
    assert line == '# sport (labelers.py, line 14): return Not("sports") where nothing matches'


def test_every_labeler_is_told_what_to_write_and_no_line_is_half_a_statement(tmp_path):
    """`polls = pattern(…, no=…)` was pasted, and is no Python; the function was hidden behind "and so on"."""
    found = places(tmp_path).second_answers({name: ["sports"] for name in ("money", "polls", "power", "sport")})
    toml, *code = found.splitlines()
    assert tomllib.loads(toml) == {"no": {"not": "sports"}}
    assert [re.match(r"# (add no=\S+ to )?(\w+) ", line)[2] for line in code] == ["polls", "power", "sport"]
    many = Snippets().second_answers({f"rule{i}": ["sports"] for i in range(MOST_LINES + 2)}).splitlines()
    assert len(many) == MOST_LINES + 1
    assert many[-1] == f"# and so on for rule{MOST_LINES}, rule{MOST_LINES + 1}"


def test_a_function_that_never_voted_has_no_word_that_is_misspelt(tmp_path):
    found = places(tmp_path)
    assert found.silence(["sport"], 1500) == "It returned nothing on all 1,500 rows."
    assert found.silence(["sport", "power"], 1500) == "They returned nothing on all 1,500 rows."
    assert found.silence(["polls"], 1500).endswith("If it looks for words, is one misspelt?")
    both = found.silence(["sport", "polls"], 1500)
    assert both == "sport returned nothing on all 1,500 rows. Is a word misspelt that polls should find?"


def test_labelers_of_other_kinds_are_told_the_answer(tmp_path):
    found = places(tmp_path)
    found.labelers["both"] = Both()
    assert '# another answer: { not = "sports" }' in found.second_answer("both", ["sports"])
    found.in_code.add("both")
    assert 'another answer, Not("sports")' in found.second_answer("both", ["sports"])


def test_lines_about_the_project_belong_in_its_toml_under_the_table_they_name(tmp_path):
    """`init` writes both tables: a line with a table of its own could not be pasted."""
    found = places(tmp_path)

    def put(line, table):
        assert line.startswith(tuple("abcdefghijklmnopqrstuvwxyz"))
        assert f"under [{table}]" in line
        return make(tmp_path, toml=f"{TOML}\n[{table}]\n{line}\n").settings

    assert list(put(found.left_out("money"), "labelers").labelers.off) == ["money"]
    assert put(found.longer_fit(77), "label_model").label_model == {"max_iter": 77}
    assert put(found.by_counting(), "output").output.by == "counting"


def test_lines_take_the_place_of_those_that_are_there(tmp_path):
    """Pasted below `max_iter = 5`, the line was an error: a key is written once."""
    there = '\n[labelers]\noff = ["sport"]\n\n[label_model]\nmax_iter = 5\n'
    found = places(tmp_path, toml=TOML + there)
    assert found.left_out("money", "sport") == (
        'off = ["sport", "money"]    # in shortlist.toml, under [labelers], in place of its line off'
    )
    lines = [found.left_out("money"), found.longer_fit(77)]
    followed = TOML + there
    for line in lines:
        key = line.split(" = ")[0]
        assert f"in place of its line {key}" in line
        followed = re.sub(rf"^{key} = .*$", lambda _, line=line: line, followed, flags=re.MULTILINE)
    settings = make(tmp_path, toml=followed).settings
    assert settings.labelers.off == ("sport", "money")


def test_who_fails_is_to_be_mended_where_it_is_written(tmp_path):
    """`check` advised to set on_error back to "raise", with which `run` stops and advises "abstain"."""
    assert places(tmp_path).failing("power", "polls", "money").splitlines() == [
        "# power (labelers.py, line 20): return None on rows where it cannot answer",
        "# polls (labelers.py, line 27): change what fails on such rows",
        "# money (shortlist.toml): change what fails on such rows",
    ]


def test_suggested_labelers_have_names_of_their_own(tmp_path):
    """Two that were pasted were both called `tells_apart`, and one was lost."""
    found = places(tmp_path)
    code = [found.tells_apart(*pair) for pair in (("business", "politics"), ("politics", "sports"), ("1 é", "b-c"))]
    assert [re.search(r"def (\w+)", one)[1] for one in code] == [
        "business_or_politics",
        "politics_or_sports",
        "is_1_é_or_b_c",
    ]
    head = "from shortlist import Not, feature, keywords, labeler, pattern\n\n\n"
    project = make(tmp_path, labelers=head + "\n\n\n".join(code[:2]))
    assert project.session.roster.names == ["money", "business_or_politics", "politics_or_sports"]
    votes = project.votes
    assert not (votes.codes[:, 1:] > 0).any()  # before its words are written, it says nothing
    stub = project.session.roster.labelers[1].function
    assert [stub(f"… <a word of {one}> …") for one in ("business", "politics", "sports")] == [
        "business",
        "politics",
        None,
    ]


def test_what_is_not_imported_yet_is_imported(tmp_path):
    rule = 'from shortlist import pattern\n\npolls = pattern("election", yes="politics", name="polls")\n'
    found = places(tmp_path, labelers=rule)
    stub = found.tells_apart("business", "politics")
    assert make(tmp_path, labelers=f"{rule}\n{stub}").session.roster.names[-1] == "business_or_politics"
    assert found.second_answers({"polls": ["politics"]}).startswith(
        "from shortlist import Not    # in labelers.py\n# add no=Not("
    )
    assert "import" not in found.second_answers({"money": ["business"]})
    assert "import" not in places(tmp_path).tells_apart("business", "politics")


def test_a_function_of_a_row_that_never_votes_may_look_for_a_column(tmp_path):
    """`"game" in row` found nothing, silently: a row holds its columns."""
    code = LABELERS.replace("def power(text)", "def power(row)").replace(" in text:", " in row:")
    assert '"word" in row["text"]' in places(tmp_path, labelers=code).silence(["power"], 300)
    assert "in row" not in places(tmp_path).silence(["power"], 300)


ADVISED = {
    "second_answer": ("sport", ["sports"]),
    "left_out": ("sport",),
    "abstains": ("sport",),
    "by_counting": (),
    "failing": ("sport",),
    "longer_fit": (200,),
    "balance": ({"sports": 0.5, "politics": 0.2, "business": 0.3},),
    "any_balance": (["sports", "politics", "business"],),
    "tells_apart": ("sports", "politics"),
    "names": ("sports",),
}


def test_the_snippets_that_are_pasted_here_are_all():
    """All but prose, and what is made of `second_answer`."""
    methods = {name for name in vars(Snippets) if not name.startswith("_")}
    assert methods - {"silence", "second_answers"} == set(ADVISED)


@pytest.mark.parametrize(("name", "arguments"), ADVISED.items())
def test_what_is_advised_in_python_can_be_pasted(name, arguments):
    """`keywords(["<a word of net>"], yes="net")` was refused: its answer is says."""
    known = {name: getattr(shortlist, name) for name in shortlist.__all__} | {"model": LabelModel(), "sport": 1}
    exec(getattr(Snippets(), name)(*arguments), known)


@pytest.mark.parametrize(("name", "arguments"), ADVISED.items())
def test_what_is_advised_in_a_project_can_be_pasted(tmp_path, name, arguments):
    """Into the file that it names."""
    code = getattr(places(tmp_path), name)(*arguments)
    if under := re.search(r"in shortlist.toml, under \[(\w+)\]", code):
        project = make(tmp_path, toml=f"{TOML}\n[{under[1]}]\n{code}\n")
    else:
        project = make(tmp_path, labelers=f"{LABELERS}\n\n{code}\n")
    assert project.votes.shape[1] >= 3


def test_a_suggested_name_is_not_taken(tmp_path):
    """`business_or_politics` was suggested again after it was written: pasted, one of the two was lost."""
    found = places(tmp_path)
    first = found.tells_apart("business", "politics")
    then = places(tmp_path, labelers=f"{LABELERS}\n\n{first}\n").tells_apart("business", "politics")
    assert "def business_or_politics_2(text):" in then
    off = places(tmp_path, toml=f'{TOML}\n[labelers]\noff = ["sport"]\n')
    assert "def business_or_politics(text):" in off.tells_apart("business", "politics")
    assert "def business_or_politics_2(text):" in off.tells_apart("business", "politics", ["business_or_politics"])
    assert free_name("sport", {"sport", "sport_2"}) == "sport_3"


@pytest.mark.parametrize(
    "line", ['no = Not("business")', 'no = "Not(business)"', 'no = "not Business"', "no = 'Not(\"business\")'"]
)
def test_a_not_of_python_in_the_toml_is_shown_as_toml(tmp_path, line):
    """The error suggested 'business': the opposite."""
    with pytest.raises(BadProject) as error:
        make(tmp_path, toml=TOML + line).session.roster  # noqa: B018
    assert '{ not = "business" }' in str(error.value)
    assert "Did you mean" not in str(error.value)
    assert error.value.line == TOML.count("\n") + 1


def test_a_not_of_several_classes(tmp_path):
    with pytest.raises(BadProject, match=r'written \{ not = \["business", "sports"\] \}'):
        make(tmp_path, toml=TOML + 'no = Not("business", "sports")')
    with pytest.raises(BadProject, match=r'written \{ not = \["business", "sports"\] \}'):
        make(tmp_path, toml=TOML + 'no = "Not(business, sports)"').session.roster  # noqa: B018


def test_other_words_that_are_no_class_are_told_as_before(tmp_path):
    with pytest.raises(BadProject, match="Did you mean 'business'"):
        make(tmp_path, toml=TOML + 'no = "busines"').session.roster  # noqa: B018
    with pytest.raises(BadProject, match="between quotation marks"):
        make(tmp_path, toml=TOML + "no = business")


def test_one_name_in_both_files(tmp_path):
    make(tmp_path)
    edit(tmp_path / "labelers.py", 'name="polls"', 'name="money"')
    with pytest.raises(BadProject, match=r"one in shortlist\.toml and one in labelers\.py"):
        make(tmp_path, labelers=(tmp_path / "labelers.py").read_text()).session.roster  # noqa: B018
