"""diagnose: known answers, brute force, real structures, and a doctor that teaches."""

import json
import re
import time

import numpy as np
import pytest
from hypothesis import given, settings

from experiments import agnews, datasets, scicite, trec
from shortlist import LabelModel, LabelSpace, Votes, diagnose, keywords, labeler
from shortlist.errors import BadLabeler, BadVotes, ShortlistError
from shortlist.identifiability import Diagnosis, theorem
from shortlist.identifiability.diagnosis import generic_rank
from shortlist.identifiability.theorem import TripleSplit, find_repairs, find_split, masks_of
from shortlist.labelmodel.layout import Panel
from shortlist.votes import Codomain
from tests.identifiability.structures import as_said, literally, structure, structures, verify


def codomains(votes):
    return dict(zip(votes.names, votes.codomains, strict=True))


# -- known answers -------------------------------------------------------------------------------------

NAMES_ALL = "a|b|c|d"  # the paper's first example: a labeler that says every class alone
PAPER = ("abc|abd|acd|bcd", "acd|abc|abd|bcd", "abd|bcd|abc|acd")  # {1,2,3}, {1,3,4}, {1,2,4} intersect in {1}


def test_three_labelers_that_name_every_class_are_one_in_each_set():
    diagnosis = diagnose(structure(NAMES_ALL, NAMES_ALL, NAMES_ALL))
    assert diagnosis.identifiable
    assert [len(group) for group in diagnosis.split] == [1, 1, 1]
    assert diagnosis.certificate.choices[0]["a"] == {diagnosis.split[0][0]: ("a",)}


def test_two_labelers_are_too_few_whatever_they_say():
    assert diagnose(structure(NAMES_ALL, NAMES_ALL)).identifiable is False


def test_the_papers_second_example_needs_groups_of_three():
    votes = structure(*PAPER, *PAPER, "ab|cd")
    one = diagnose(votes)
    assert verify(one.certificate, votes)
    for group, choices in zip(one.split[:2], one.certificate.choices, strict=True):
        assert len(group) >= (2 if "labeler_7" in group else 3)
        assert frozenset.intersection(*map(frozenset, choices["a"].values())) == {"a"}
    assert diagnose(structure(*PAPER, *PAPER)).identifiable is False  # nobody left for S3
    assert diagnose(structure(*PAPER, "ab|cd", "ac|bd")).identifiable  # a halving and a triple do, too


def test_only_grouped_halvings_do():
    """No labeler names a class; two halvings across each other do, and take all four of them and one more."""
    assert diagnose(structure("ab|cd", "ac|bd", "ab|cd", "ac|bd", "ad|bc")).identifiable
    assert diagnose(structure("ab|cd", "ac|bd", "ab|cd", "ac|bd")).identifiable is False
    assert diagnose(structure("ab|cd", "ab|cd", "ab|cd", "ab|cd", "ac|bd")).identifiable is False


def test_a_certificate_that_lies_is_found_out():
    votes = structure("ab|cd", "ac|bd", "ab|cd", "ac|bd", "ad|bc")
    certificate = diagnose(votes).certificate
    assert verify(certificate, votes)
    one = certificate.split[0][0]
    lie = {y: {**choice, one: ("a", "b")} for y, choice in certificate.choices[0].items()}
    assert not verify(certificate._replace(choices=(lie, certificate.choices[1])), votes)
    s1, s2, s3 = certificate.split
    assert not verify(certificate._replace(split=(s1, s2, ())), votes)
    assert not verify(certificate._replace(split=(s1, s1, s3)), votes)
    never = {y: dict.fromkeys(choice, (y,)) for y, choice in certificate.choices[0].items()}
    assert not verify(certificate._replace(choices=(never, certificate.choices[1])), votes)


# -- dummies -------------------------------------------------------------------------------------------


def test_dummies_count_to_the_letter_and_not_for_the_headline():
    diagnosis = diagnose(structure("a", "a", "b", classes="ab"))
    assert diagnosis.identifiable is False
    assert diagnosis.identifiable_with_dummies is True
    assert diagnosis.untold_pairs == (("a", "b"),)
    assert diagnosis.inseparable_pairs == ()
    assert any("To the letter" in finding for finding in diagnosis.findings)


def test_what_silence_tells_is_read_by_the_default_model_and_by_propensity_of_a_class():
    silence = next(f for f in diagnose(structure("a", "a", "b", classes="ab")).findings if "vote at all" in f)
    assert "LabelModel()" in silence
    assert 'propensity="class"' in silence


def test_verbs_agree_with_how_many_labelers_there_are():
    alone = diagnose(structure("a|b", "a|b", "a|b", classes="ab")).findings[1]
    assert re.search(r"\w+ can single out every class; so can \w+; \w+ tells the classes apart", alone)


def test_a_person_is_not_told_to_answer_where_nothing_matches():
    """People who shortlist may say any set: it was advised to let them say Not(...) besides."""
    answers = {"item": [1, 2, 3], "worker": ["ann", "ann", "bob"], "label": ["a|b", "a|b", "c"]}
    found = diagnose(Votes.from_crowd(answers, ["a", "b", "c"], separator="|"))
    told = str(found)
    assert "ann, bob gave one answer only" in told
    assert "nothing matches" not in told
    assert str(Diagnosis.from_dict(json.loads(json.dumps(found.to_dict())))) == told
    rule = diagnose(keywords(["x"], says="a", name="rule"), space=["a", "b", "c"])
    assert "second answer where nothing matches" in str(rule)


def test_a_model_is_told_from_votes():
    with pytest.raises(BadVotes, match=r"takes Votes, or labelers.*got a LabelModel: give the votes"):
        diagnose(LabelModel())
    with pytest.raises(BadVotes, match=r"got a int$"):
        diagnose(3)


def test_a_dummy_that_is_voted_is_none():
    votes = Votes([[2, 1, 1], [1, 2, 2]], [["a"], ["a", "b"], ["a", "b"]], ["a", "b"])
    assert votes.codomains[0].dummies == {frozenset("b")}
    assert diagnose(votes).identifiable


def test_a_class_a_labeler_never_names_is_ruled_out_by_none_of_its_votes():
    """a|b says nothing of c, but what it says does tell a from b, and c from neither."""
    assert diagnose(structure("a|b", "a|b", "a|b", classes="abc")).identifiable is False
    pairs = ("a|b", "a|c", "b|c")
    assert diagnose(structure(*pairs, *pairs, *pairs)).identifiable


def test_the_two_conditions_are_reported_with_the_dummy():
    diagnosis = diagnose(structure("ab|ac", "a|b", "ab|c", classes="abc"))
    assert diagnosis.dummies == {"labeler_1": ("b", "c"), "labeler_2": ("c",)}
    assert any("labeler_1 gets {b, c}; labeler_2 gets c" in finding for finding in diagnosis.findings)


# -- a doctor that teaches -----------------------------------------------------------------------------


def test_pairs_that_no_labeler_separates():
    diagnosis = diagnose(structure("ab|c|d", "ab|cd", "c|abd", "d|abc", classes="abcd"))
    assert diagnosis.inseparable_pairs == (("a", "b"),)
    assert any(finding.startswith("No labeler separates a and b:") for finding in diagnosis.findings)


def test_a_repair_is_the_smallest_and_works():
    """S1 and S2 are there, but what is left for S3 has one thing to say each: one of them must say no, too."""
    votes = structure("ab|c", "a|bc", "a|b|c", "a", "c", classes="abc")
    diagnosis = diagnose(votes)
    assert diagnosis.identifiable is False
    (repair,) = diagnosis.repairs
    assert diagnosis.repairs_smallest
    assert diagnose(repaired(votes, diagnosis.repairs)).identifiable
    assert f"{repair.labeler} also said" in "".join(diagnosis.findings)


def test_new_labelers_are_proposed_where_there_are_too_few():
    diagnosis = diagnose(structure("a|b", "a|b"))
    assert list(diagnosis.repairs) == [(None, (("a",), ("b",)))]
    assert "a new labeler said a and b" in "".join(diagnosis.findings)


def repaired(votes, repairs):
    """The structure with all the repairs made."""
    says = {name: list(c.says) for name, c in codomains(votes).items()}
    for number, repair in enumerate(repairs):
        says.setdefault(repair.labeler or f"new {number}", []).extend(repair.shortlists)
    return Votes(np.zeros((0, len(says)), int), list(says.values()), votes.space, list(says))


def proof(votes, *, dummies=False):
    return find_split(masks_of(Panel.of(votes), dummies=dummies), votes.space, time.monotonic() + 30)


@given(structures())
@settings(max_examples=30)
def test_repairs_repair(votes):
    found, smallest = find_repairs(Panel.of(votes), time.monotonic() + 30)
    assert smallest
    assert proof(repaired(votes, found))
    for r in range(len(found)):  # and each of them is needed
        assert proof(repaired(votes, found[:r] + found[r + 1 :])) is False


def test_accuracies_that_rest_on_the_prior():
    diagnosis = diagnose(structure("a", "ab|ac", "a|b|c", classes="abc"))
    assert diagnosis.prior_only == {"labeler_1": ("a", "b", "c"), "labeler_2": ("a",)}


def test_shortlists_that_are_declared_but_never_heard():
    says = [["a", "b"], ["a", "b"], ["a", "b"]]
    quiet = diagnose(Votes([[1, 1, 1], [1, 2, 2]], says, ["a", "b"]))
    assert quiet.identifiable
    assert quiet.unheard == {"labeler_1": (("b",),)}
    assert quiet.identifiable_as_heard is False
    assert "labeler_1 never said b" in quiet.findings[1]
    assert diagnose(Votes([[1, 1, 1], [2, 2, 2]], says, ["a", "b"])).identifiable_as_heard


def test_silent_labelers_are_no_help_and_are_named():
    silent = [Codomain(()), *(Codomain.declare(["a", "b"], LabelSpace(list("ab"))) for _ in range(3))]
    diagnosis = diagnose(Votes(np.zeros((0, 4), int), silent, ["a", "b"], ["mute", "x", "y", "z"]))
    assert diagnosis.identifiable
    assert "mute" in diagnosis.split[2]
    assert any(f.startswith("mute never said anything") for f in diagnosis.findings)


# -- agreement with brute force ------------------------------------------------------------------------


@given(structures())
@settings(max_examples=300)
def test_the_verdicts_are_those_of_brute_force(votes):
    for dummies, truth in ((False, as_said(votes)), (True, literally(votes))):
        found = proof(votes, dummies=dummies)
        assert isinstance(found, TripleSplit) == truth
        assert not found or verify(found, votes, dummies=dummies)


@given(structures(most_labelers=6))
@settings(max_examples=100)
def test_what_the_verdict_promises_is_true_of_random_parameters(votes):
    """Kruskal's condition itself, at random accuracies: rank k for S1 and S2, and no two rows alike for S3."""
    found = proof(votes)
    if not found:
        return
    rng = np.random.default_rng(0)
    rows = {name: conditional(c.says, votes.space, rng) for name, c in codomains(votes).items()}
    s1, s2, s3 = ([rows[name] for name in group] for group in found.split)
    for group in (s1, s2):
        assert np.linalg.matrix_rank(grouped(group), tol=1e-9) == len(votes.space)
    third = grouped(s3)
    for j in range(len(third)):
        for other in range(j):
            assert np.abs(third[j] - third[other]).max() > 1e-9


def conditional(says, space, rng):
    """P(vote | class) of a labeler that never says its dummy, with what it abstains: (k, 1 + votes), Eq. 2."""
    beta, table = rng.uniform(0.2, 0.8), []
    for y in space:
        right = np.array([y in t for t in says])
        alpha = rng.uniform(0.05, 0.95) if 0 < right.sum() < len(says) else float(right.all())
        share = np.where(right, alpha / max(right.sum(), 1), (1 - alpha) / max((~right).sum(), 1))
        table.append([1 - beta, *(beta * share)])
    return np.array(table)


def grouped(tables):
    """The labelers of a set as one: every combination of their votes."""
    product = tables[0]
    for table in tables[1:]:
        product = (product[:, :, None] * table[:, None, :]).reshape(len(product), -1)
    return product


# -- real structures -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "letter", "smallest"), [(trec, False, 8), (scicite, True, 2), (agnews, True, 4)], ids=lambda m: str(m)
)
def test_the_papers_labelers_for_text(module, letter, smallest):
    diagnosis = diagnose(module.labelers, space=module.SPACE)
    assert diagnosis.identifiable is False
    assert diagnosis.identifiable_with_dummies is letter
    assert len(diagnosis.repairs) == smallest
    assert diagnosis.repairs_smallest


def test_theorem_1_does_not_hold_for_the_papers_trec_labelers():
    """One labeler only has a shortlist with ENTY and without HUM, dummies counted; S1 and S2 need one each."""
    diagnosis = diagnose(trec.labelers, space=trec.SPACE)
    holders = [c for c in diagnosis.says if any("ENTY" in t and "HUM" not in t for t in diagnosis.says[c])]
    others = [name for name, t in diagnosis.dummies.items() if "ENTY" in t and "HUM" not in t]
    assert [*holders, *others] == ["subject_is_thing"]


@pytest.mark.parametrize(("name", "expected"), [("awa2", True), ("lad/A0", True), ("lad/H0", True), ("lad/H1", False)])
def test_attribute_detectors(name, expected, data_home):
    votes = datasets.load(name, data_home)["all"].votes
    diagnosis = diagnose(votes, time_limit=30)
    assert diagnosis.identifiable is expected
    assert diagnosis.identifiable_with_dummies is expected  # they say yes or no: there are no dummies
    if expected:
        assert verify(diagnosis.certificate, votes)
    else:
        assert {who for _, _, who in diagnosis.scarce} == {("attribute_6",), ("attribute_8",)}


# -- at the door ---------------------------------------------------------------------------------------


def test_no_time_is_no_verdict():
    says = ("ab|cd|abc", "ac|bd|acd", "ad|bc|abd") * 4
    diagnosis = diagnose(structure(*says), time_limit=0)
    assert diagnosis.identifiable is None
    assert diagnosis.findings[0].startswith("Not decided")
    assert diagnosis.split is None
    assert diagnose(structure(*says)).identifiable


def test_labelers_are_diagnosed_before_they_vote():
    @labeler(says=["HUM", {"LOC", "NUM"}])
    def who(row): ...

    rules = [who, keywords(["where"], says="LOC", name="where"), keywords(["when"], says="NUM", name="when")]
    diagnosis = diagnose(rules)
    assert list(diagnosis.space) == ["HUM", "LOC", "NUM"]
    assert diagnosis.identifiable is False
    assert list(diagnosis.dummies) == ["where", "when"]
    assert list(diagnose(rules, space=["NUM", "LOC", "HUM", "DESC"]).space) == ["NUM", "LOC", "HUM", "DESC"]


def test_bad_input():
    @labeler
    def undeclared(row): ...

    with pytest.raises(BadLabeler, match="undeclared"):
        diagnose([undeclared])
    with pytest.raises(BadVotes, match="no labelers"):
        diagnose(Votes(np.zeros((3, 0), int), [], ["a", "b"]))
    with pytest.raises(ShortlistError, match="time_limit"):
        diagnose(structure("a|b"), time_limit=-1)
    with pytest.raises(BadVotes, match="'a', 'b'"):
        diagnose(structure("a|b"), space=list("abc"))


@given(structures())
@settings(max_examples=15)
def test_a_diagnosis_is_json_and_text(votes):
    diagnosis = diagnose(votes)
    record = json.loads(json.dumps(diagnosis.to_dict()))
    assert record["identifiable"] == diagnosis.identifiable
    assert record["findings"] == diagnosis.findings
    assert str(diagnosis) == repr(diagnosis)
    assert str(diagnosis).startswith(diagnosis.findings[0])


@pytest.mark.parametrize(
    "votes",
    [
        structure(NAMES_ALL, NAMES_ALL, NAMES_ALL),  # identifiable, with a certificate
        structure("ab|c", "ab|c", "ab|c", "a|bc"),  # not, with repairs
        structure("a", "b", "bc"),  # dummies, pairs that only silence tells apart
        Votes([[1, 1, 1]], [["cat", "dog"]] * 3, ["cat", "dog"]),  # declared and never said
    ],
)
def test_a_diagnosis_comes_back_from_json(votes):
    diagnosis = diagnose(votes)
    again = Diagnosis.from_dict(json.loads(json.dumps(diagnosis.to_dict())))
    assert again == diagnosis
    assert again.findings == diagnosis.findings
    assert again.certificate is None or verify(again.certificate, votes)


def test_repairs_are_not_thought_of_once_time_is_up(monkeypatch):
    """Attack N6: with hundreds of shortlists, the search went on for minutes after the limit."""
    thought = []
    monkeypatch.setattr(theorem, "LabelerMasks", lambda *_: thought.append(1))
    assert find_repairs(Panel.of(structure("a|b", "a|b")), time.monotonic() - 1) == ((), False)
    assert len(thought) <= 1


# -- the rank at random values -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("says", "rank", "parameters"),
    [
        (["a|b"], 1, 3),
        (["a|b"] * 2, 3, 5),  # a 2 × 2 table is three numbers, for four accuracies and a balance
        (["a|b"] * 3, 7, 7),
        (["a", "b"], 0, 1),
        (["ab|c"] * 3, 7, 11),  # a and b look the same to all: one accuracy of each labeler, and a share, stay open
    ],
)
def test_ranks_counted_by_hand(says, rank, parameters):
    assert generic_rank(Panel.of(structure(*says))) == (rank, parameters)


@given(structures(most_labelers=5))
@settings(max_examples=60)
def test_what_theorem_1_promises_the_rank_confirms(votes):
    found = generic_rank(Panel.of(votes))
    assert found.rank <= found.parameters
    if proof(votes):
        assert found.rank == found.parameters


def test_where_theorem_1_is_silent_the_rank_tells_more():
    two = diagnose(structure("a|b", "a|b"))
    assert two.generic == (3, 5)
    assert two.findings[0].startswith("Not identifiable")
    assert diagnose(structure("a|b", "a|b", "a|b")).generic is None  # Theorem 1 says it all


def test_a_real_structure_whose_rank_is_full(data_home):
    found = diagnose(datasets.load("lad/H1", data_home)["all"].votes)
    assert found.generic == (71, 71)  # 11 detectors × 6 classes, and 5 for the balance
    assert found.status == "not guaranteed"
    assert found.findings[0].startswith("Not guaranteed")
