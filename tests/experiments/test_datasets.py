"""Data sets: every format on a tiny set written here, and the real ones where SHORTLIST_DATA points at them."""

import json
from collections import Counter

import numpy as np
import polars as pl
import pytest

from experiments.datasets import Dataset, Split, available, load
from shortlist.errors import BadFile, ShortlistWarning, UselessLabeler
from shortlist.votes import Votes

# -- tiny sets ----------------------------------------------------------------------------------------------


def put_jsonl(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records) + "\n", "utf-8")


def put_json(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), "utf-8")


def put_text(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def put_attributes(stem, votes=((0, 1), (1, 1), (1, 0)), y=(0, -1, 2), clusters=None, **arrays):
    clusters = {"0": [[2, 3], [1]], "1": [[1, 2], [3]]} if clusters is None else clusters
    put_json(
        stem.with_name(stem.name + ".json"), {"class_names": ["cat", "dog", "eel"], "clusters_one_based": clusters}
    )
    np.savez(stem.with_name(stem.name + ".npz"), votes=np.array(votes, np.int8), y=np.array(y, np.int16), **arrays)


def put_wrench(folder, names=("HAM", "SPAM")):
    put_json(folder / "label.json", {str(j): name for j, name in enumerate(names)})
    for split, weak, label in [("train", [1, -1], 0), ("valid", [0, -1], 1), ("test", [-1, 1], -1)]:
        put_json(folder / f"{split}.json", {"0": {"label": label, "weak_labels": weak, "data": {"text": split}}})


def put_crowd(folder):
    put_text(folder / "label.csv", "item,worker,label\n7,w,2\n7,v,10\n3,w,10\n")
    put_text(folder / "truth.csv", "item,truth\n3,11\n9,2\n")


def complaint(name, home):
    with pytest.raises(BadFile) as caught:
        load(name, home)
    return str(caught.value)


def test_text(tmp_path):
    put_jsonl(tmp_path / "q/test.jsonl", [{"text": "where?", "label": "LOC"}])
    put_jsonl(tmp_path / "q/train.jsonl", [{"text": "who?", "label": "HUM"}, "", {"text": "hm\u2028", "label": None}])
    put_jsonl(tmp_path / "q/dev.jsonl", [{"text": "when?", "label": "NUM"}])
    data = load("q", tmp_path)
    assert isinstance(data, Dataset)
    assert data.name == "q"
    assert list(data.space) == ["HUM", "LOC", "NUM"]  # sorted, over all splits
    assert list(data.splits) == ["train", "dev", "test"]
    assert data["train"].rows["text"].to_list() == ["who?", "hm\u2028"]
    assert data["train"].gold.tolist() == ["HUM", None]
    assert data["train"].gold.dtype == object
    assert data["train"].votes is None
    assert len(data["train"]) == 2
    assert repr(data).splitlines() == [
        "Dataset q: 3 classes (HUM, LOC, NUM)",
        "  train  2 rows; columns text, label; gold for 1",
        "  dev    1 row; columns text, label; gold for all",
        "  test   1 row; columns text, label; gold for all",
    ]


def test_text_with_fields_of_all_kinds(tmp_path):
    """null, NaN (which is not JSON), whole and broken numbers, missing fields, lists; a field of mixed kinds."""
    lines = [
        '{"label": "a", "at": 3, "section": "x", "tags": [], "deep": {"p": 1}}',
        '{"label": "b", "at": 2.5, "section": NaN, "tags": ["t"]}',
        '{"label": "a", "at": NaN, "section": null, "late": true}',
    ]
    put_jsonl(tmp_path / "s/train.jsonl", lines)
    rows = load("s", tmp_path)["train"].rows
    assert rows["at"].to_list() == [3.0, 2.5, None]
    assert rows["section"].to_list() == ["x", None, None]
    assert rows["tags"].to_list() == [[], ["t"], None]
    assert rows["late"].to_list() == [None, None, True]
    put_jsonl(tmp_path / "s/train.jsonl", [*lines, '{"label": "b", "at": "p. 3", "tags": 4}'])
    rows = load("s", tmp_path)["train"].rows
    assert rows["at"].to_list() == ["3", "2.5", None, "p. 3"]
    assert rows["tags"].to_list() == ["[]", '["t"]', None, "4"]


def test_numbers_as_labels_keep_their_order(tmp_path):
    put_jsonl(tmp_path / "n/train.jsonl", [{"label": j} for j in (10, 2, -1, 2)])
    data = load("n", tmp_path)
    assert list(data.space) == ["2", "10"]
    assert data["train"].gold.tolist() == ["10", "2", None, "2"]


@pytest.mark.parametrize("folder", ["agnews", "AG_News", "some/agnews"])
def test_numbers_are_named_where_the_set_is_known(tmp_path, folder):
    put_jsonl(tmp_path / folder / "train_subset.jsonl", [{"label": 3}, {"label": 0}])
    data = load(folder, tmp_path)
    assert list(data.space) == ["World", "Sports", "Business", "Sci/Tech"]
    assert data["train_subset"].gold.tolist() == ["Sci/Tech", "World"]


def test_numbers_are_named_by_label_json(tmp_path):
    put_jsonl(tmp_path / "n/train.jsonl", [{"label": 1}, {"label": 1}])
    put_json(tmp_path / "n/label.json", {"1": "yes", "0": "no"})
    assert list(load("n", tmp_path).space) == ["no", "yes"]
    assert load("n", tmp_path)["train"].gold.tolist() == ["yes", "yes"]


def test_numbers_beyond_the_known_names_are_their_own_names(tmp_path):
    put_jsonl(tmp_path / "agnews/train.jsonl", [{"label": 4}, {"label": 1}])
    assert list(load("agnews", tmp_path).space) == ["1", "4"]


@pytest.mark.parametrize(
    ("lines", "facts"),
    [
        (['{"label": "a"}', '{"label": '], ["line 2", "train.jsonl", "not JSON"]),
        (['{"label": "a"}', "[1]"], ["line 2", "not a JSON object"]),
        (['{"label": "a"}'], ["at least two classes", "['a']"]),
        (['{"text": "a"}'], ["at least two classes"]),
        ([""], ["at least two classes"]),
    ],
)
def test_bad_text(tmp_path, lines, facts):
    put_jsonl(tmp_path / "t/train.jsonl", lines)
    said = complaint("t", tmp_path)
    assert all(fact in said for fact in facts), said


def test_attributes(tmp_path):
    put_attributes(tmp_path / "zoo/unseen")
    data = load("zoo", tmp_path)
    assert list(data.space) == ["cat", "dog", "eel"]
    split = data["all"]
    assert split.rows is None
    assert split.gold.tolist() == ["cat", None, "eel"]
    assert split.votes.said(0) == {"attribute_0": ("dog", "eel"), "attribute_1": ("eel",)}  # vote v is group v
    assert split.votes.said(2) == {"attribute_0": ("cat",), "attribute_1": ("cat", "dog")}
    assert split.votes.ids is None
    assert repr(data).splitlines()[1] == "  all  3 rows; votes of 2 labelers; gold for 2"
    assert load("zoo/unseen", tmp_path)["all"].votes == split.votes


def test_several_attribute_sets_in_a_folder(tmp_path):
    for name in ("A0", "B.0"):
        put_attributes(tmp_path / "lad" / name)
    put_text(tmp_path / "lad/classes.csv", "class_id\n1\n")
    assert available(tmp_path) == ["lad/A0", "lad/B.0"]
    assert len(load("lad/B.0", tmp_path)["all"]) == 3
    assert "It is a folder of sets: lad/A0, lad/B.0." in complaint("lad", tmp_path)


def test_attribute_details(tmp_path):
    clusters = {"10": [[1], [2, 3]], "9": [[3], [1, 2]]}  # in the order of numbers
    put_attributes(tmp_path / "x", votes=[[0, -1], [1, 0]], y=[0, 1], clusters=clusters, image_index=np.array([5, 9]))
    votes = load("x", tmp_path)["all"].votes
    assert votes.names == ("attribute_9", "attribute_10")
    assert votes.said(0) == {"attribute_9": ("eel",)}  # −1 is an abstention
    assert votes.said(1) == {"attribute_9": ("cat", "dog"), "attribute_10": ("cat",)}
    assert votes.ids.tolist() == [5, 9]
    put_attributes(tmp_path / "x", votes=[[0, 0]], y=[0], image_index=np.array([-1]))
    assert load("x", tmp_path)["all"].votes.ids is None


def test_detectors_that_do_not_divide_the_classes_are_left_out_loudly(tmp_path):
    put_attributes(tmp_path / "x", clusters={"0": [[1, 2, 3], []], "1": [[1], [2, 3]]})
    with pytest.warns(UselessLabeler, match="detectors 0 do not divide"):
        votes = load("x", tmp_path)["all"].votes
    assert votes.names == ("attribute_1",)
    assert votes.codes.tolist() == [[2], [2], [1]]


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"votes": [[0], [1], [1]]}, ["2 detectors", "(3, 1)"]),
        ({"votes": [[0, 2], [1, 1], [1, 0]]}, ["'attribute_1'", "row 0 holds 3"]),
        ({"votes": [[0, -2], [1, 1], [1, 0]]}, ["row 0 holds -1"]),
        ({"y": [0, 1]}, ["(2,)"]),
        ({"y": [0, 1, 3]}, ["class 3", "3 classes"]),
        ({"clusters": {"0": [[1], [2, 3]], "1": [[0], [1, 2]]}}, ["1 to 3", "'1' holds 0"]),
        ({"clusters": {"0": [[1], [2, 3]], "1": [[4], [1, 2]]}}, ["1 to 3", "'1' holds 4"]),
    ],
)
def test_bad_attributes(tmp_path, changes, facts):
    put_attributes(tmp_path / "x", **changes)
    said = complaint("x", tmp_path)
    assert all(fact in said for fact in facts), said


def test_damaged_attribute_files(tmp_path):
    put_attributes(tmp_path / "x")
    whole = (tmp_path / "x.npz").read_bytes()
    (tmp_path / "x.npz").write_bytes(whole[:100])
    assert "x.npz is not an npz file" in complaint("x", tmp_path)
    np.savez(tmp_path / "x.npz", votes=np.array([[{}]], object))  # a pickle inside is not loaded
    assert "x.npz is not an npz file of plain arrays" in complaint("x", tmp_path)
    np.savez(tmp_path / "x.npz", other=np.zeros(2))
    assert "x.npz lacks votes; it has other" in complaint("x", tmp_path)
    (tmp_path / "x.npz").write_bytes(whole)
    put_json(tmp_path / "x.json", {"class_names": ["a", "b"]})
    assert "x.json lacks clusters_one_based; it has class_names" in complaint("x", tmp_path)
    put_json(tmp_path / "x.json", [1])
    assert "does not hold a JSON object" in complaint("x", tmp_path)
    put_text(tmp_path / "x.json", "{")
    assert "x.json is not JSON" in complaint("x", tmp_path)


def test_wrench(tmp_path):
    put_wrench(tmp_path / "w")
    data = load("w", tmp_path)
    assert list(data.space) == ["HAM", "SPAM"]
    assert list(data.splits) == ["train", "valid", "test"]
    assert [split.gold.tolist() for split in data.splits.values()] == [["HAM"], ["SPAM"], [None]]
    assert data["valid"].rows.to_dicts() == [{"text": "valid"}]
    assert data["valid"].votes.said(0) == {"labeler_1": ("HAM",)}
    assert data["valid"].votes.ids.tolist() == ["0"]
    codomains = {split.votes.codomains for split in data.splits.values()}
    assert len(codomains) == 1  # what is seen in any split may be said in all
    shown = [codomain.show(data.space) for codomain in codomains.pop()]
    assert shown == ["HAM | SPAM (inferred)", "SPAM | dummy HAM (inferred)"]
    assert Votes.concat(split.votes for split in data.splits.values()).shape == (3, 2)


def test_bad_wrench(tmp_path):
    put_wrench(tmp_path / "w")
    put_json(tmp_path / "w/label.json", {"1": "HAM", "2": "SPAM"})
    assert "should name the classes 0 to 1; it names 1, 2" in complaint("w", tmp_path)
    put_json(tmp_path / "w/label.json", {"0": "HAM", "1": "SPAM"})
    put_json(tmp_path / "w/test.json", {"0": {"label": 0, "weak_labels": [5, 0], "data": {}}})
    assert "row 2 has 5" in complaint("w", tmp_path)
    put_json(tmp_path / "w/test.json", {"0": {"label": 7, "weak_labels": [0, 0], "data": {}}})
    assert "class 7" in complaint("w", tmp_path)
    put_json(tmp_path / "w/test.json", {"0": {"label": 1}})
    assert "no weak_labels" in complaint("w", tmp_path)
    put_json(tmp_path / "w/test.json", {"0": {"label": 1, "weak_labels": [1]}})
    complaint("w", tmp_path)
    put_text(tmp_path / "w/test.json", "{")
    assert "test.json is not JSON" in complaint("w", tmp_path)


def test_crowd(tmp_path):
    put_crowd(tmp_path / "c")
    data = load("c", tmp_path)
    assert list(data.space) == ["2", "10", "11"]  # 11 is true of an item although nobody said so
    votes = data["all"].votes
    assert votes.ids.tolist() == ["7", "3"]  # nobody answered item 9
    assert data["all"].gold.tolist() == [None, "11"]
    assert [votes.said(a) for a in range(2)] == [{"w": ("2",), "v": ("10",)}, {"w": ("10",)}]
    (tmp_path / "c/truth.csv").unlink()
    assert load("c", tmp_path)["all"].gold.tolist() == [None, None]


def test_a_crowd_worker_who_answers_twice_is_told_of(tmp_path):
    put_text(tmp_path / "c/label.csv", "item,worker,label\n1,w,a\n1,w,b\n1,v,a\n")
    with pytest.warns(ShortlistWarning, match="the last one counts"):
        votes = load("c", tmp_path)["all"].votes
    assert votes.said(0) == {"w": ("b",), "v": ("a",)}


def test_bad_crowd(tmp_path):
    put_text(tmp_path / "c/label.csv", "question,worker,label\n1,w,a\n")
    assert "label.csv lacks item; it has question, worker, label" in complaint("c", tmp_path)
    put_text(tmp_path / "c/label.csv", "")
    assert "label.csv is not a csv file" in complaint("c", tmp_path)
    put_crowd(tmp_path / "c")
    put_text(tmp_path / "c/truth.csv", "item,label\n1,a\n")
    assert "truth.csv lacks truth" in complaint("c", tmp_path)


# -- the data home ------------------------------------------------------------------------------------------


def test_a_label_matrix(tmp_path):
    np.savez(tmp_path / "spam.npz", votes=np.array([[-1, 1], [0, 1]], np.int8), gold=np.array([1, -1], np.int8))
    np.savez(tmp_path / "features.npz", x=np.zeros(3))
    assert available(tmp_path) == ["spam"]
    data = load("spam", tmp_path)
    assert list(data.space) == ["0", "1"]
    assert data["all"].gold.tolist() == ["1", None]
    assert data["all"].votes.to_snorkel().tolist() == [[-1, 1], [0, 1]]
    np.savez(tmp_path / "spam.npz", votes=np.array([[-1, 1], [0, 1]]), gold=np.array([1]))
    assert "2 rows need as many gold labels" in complaint("spam", tmp_path)


PEOPLE = """image,person,likeliest,second,possible,gold
7,ann,cat,,cat,cat
7,bob,cat,dog,cat|dog,cat
9,ann,dog,eel,dog|eel|cat,
9,bob,dog,,dog|eel,
"""


def test_people_who_shortlist(tmp_path):
    put_text(tmp_path / "pets.csv", PEOPLE)
    put_text(tmp_path / "table.csv", "item,worker\n")
    assert available(tmp_path) == ["pets/likeliest", "pets/possible", "pets/two"]
    said = {}
    for kind in ("likeliest", "two", "possible"):
        data = load(f"pets/{kind}", tmp_path)
        assert list(data.space) == ["cat", "dog", "eel"]
        assert data["all"].gold.tolist() == ["cat", None]
        said[kind] = [data["all"].votes.said(row) for row in range(2)]
    assert said["likeliest"] == [{"ann": ("cat",), "bob": ("cat",)}, {"ann": ("dog",), "bob": ("dog",)}]
    assert said["two"] == [{"ann": ("cat",), "bob": ("cat", "dog")}, {"ann": ("dog", "eel"), "bob": ("dog",)}]
    assert said["possible"] == [{"ann": ("cat",), "bob": ("cat", "dog")}, {"bob": ("dog", "eel")}]


def test_the_last_answer_of_a_person_counts(tmp_path):
    put_text(tmp_path / "pets.csv", PEOPLE + "7,ann,eel,,eel,cat\n")
    with pytest.warns(ShortlistWarning, match="2 answers repeat"):
        assert load("pets/two", tmp_path)["all"].votes.said(0) == {"ann": ("eel",), "bob": ("cat", "dog")}


@pytest.fixture
def home(tmp_path):
    put_jsonl(tmp_path / "trec/train.jsonl", [{"label": "a"}, {"label": "b"}])
    put_wrench(tmp_path / "wrench/trec")
    put_crowd(tmp_path / "crowd/dog")
    put_attributes(tmp_path / "lad/A0")
    put_attributes(tmp_path / "lad/A1")
    put_text(tmp_path / "README.md", "not a set")
    put_text(tmp_path / "empty/notes.txt", "not a set")
    put_jsonl(tmp_path / ".cache/train.jsonl", [{"label": "a"}, {"label": "b"}])
    return tmp_path


def test_what_is_available(home, monkeypatch):
    names = ["crowd/dog", "lad/A0", "lad/A1", "trec", "wrench/trec"]
    assert available(home) == available(str(home)) == names
    monkeypatch.setenv("SHORTLIST_DATA", str(home))
    assert available() == names
    assert [load(name).name for name in names] == names


def test_the_argument_wins_over_the_environment(home, monkeypatch, tmp_path_factory):
    monkeypatch.setenv("SHORTLIST_DATA", str(tmp_path_factory.mktemp("other")))
    assert available() == []
    assert load("trec", home).name == load("trec/", home).name == "trec"


def test_no_data_home(monkeypatch, tmp_path):
    monkeypatch.delenv("SHORTLIST_DATA", raising=False)
    for ask in (available, lambda: load("trec")):
        with pytest.raises(BadFile, match=r"SHORTLIST_DATA.*data_home"):
            ask()
    with pytest.raises(BadFile, match="nowhere is not a folder"):
        load("trec", tmp_path / "nowhere")
    with pytest.raises(BadFile, match="holds no set"):
        load("trec", tmp_path)


def test_a_set_that_is_not_there_offers_the_nearest(home):
    said = complaint("crowd/dogs", home)
    assert "no data set 'crowd/dogs'" in said
    assert "Did you mean 'crowd/dog'?" in said
    assert "lad/A1" in said
    for name in ("", "empty", "README.md", "../" + home.name + "/trec", str(home / "trec"), "lad/A7"):
        assert f"no data set {name!r}" in complaint(name, home)


def test_a_split_that_is_not_there_offers_the_nearest(home):
    with pytest.raises(BadFile, match=r"no split 'tests'. Did you mean 'test'\? Splits: train, valid, test"):
        load("wrench/trec", home)["tests"]


def test_data_sets_do_not_change(home):
    data = load("trec", home)
    with pytest.raises(AttributeError):
        data.name = "x"
    with pytest.raises(TypeError):
        data.splits["train"] = None
    with pytest.raises(ValueError, match="read-only"):
        data["train"].gold[0] = "b"
    assert isinstance(data["train"], Split)
    assert str(data["train"]) == "Split: 2 rows; columns label; gold for all"


# -- the real sets ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def read(data_home):
    """Each set is read once."""
    kept = {}

    def read_once(name):
        if name not in kept:
            kept[name] = load(name, data_home)
        return kept[name]

    return read_once


def test_all_real_sets_are_found(data_home):
    lad = [f"lad/{kind}{split}" for kind in "AEFHV" for split in range(3)]
    expected = ["agnews", "awa2", "crowd/dog", "crowd/rte", "crowd/web", *lad]
    expected += ["scicite", "trec", "wrench/chemprot", "wrench/trec", "wrench/youtube", "crowd/relevance"]
    expected += ["published/commercial", "published/yelp"]
    expected += [f"people/cifar10s/{kind}" for kind in ("likeliest", "two", "possible")]
    assert set(expected) <= set(available(data_home))


@pytest.mark.parametrize(
    ("name", "classes", "sizes"),
    [
        ("trec", "ABBR DESC ENTY HUM LOC NUM", {"train": 5063, "dev": 389, "test": 500}),
        ("scicite", "background method result", {"train": 8243, "dev": 916, "test": 1861}),
        ("agnews", "World Sports Business Sci/Tech", {"train_subset": 30_164, "dev": 500, "test": 7600}),
        ("wrench/trec", "DESC ENTY HUM ABBR LOC NUM", {"train": 5033, "valid": 500, "test": 500}),
        ("wrench/youtube", "HAM SPAM", {"train": 1686, "valid": 120, "test": 250}),
        ("crowd/dog", "0 1 2 3", {"all": 807}),
        ("crowd/web", "0 1 2 3 4", {"all": 2665}),
        ("crowd/rte", "0 1", {"all": 800}),
        ("published/commercial", "0 1", {"all": 81_105}),
        ("published/yelp", "0 1", {"all": 31_512}),
    ],
)
def test_real_classes_and_sizes(read, name, classes, sizes):
    data = read(name)
    assert list(data.space) == classes.split()
    assert {split: len(part) for split, part in data.splits.items()} == sizes
    for part in data.splits.values():
        assert part.rows is None or len(part.rows) == len(part)
        assert part.votes is None or len(part.votes) == len(part)


@pytest.mark.parametrize(
    ("name", "split", "counts"),
    [
        ("trec", "train", {"ENTY": 1152, "HUM": 1131, "DESC": 1088, "NUM": 837, "LOC": 775, "ABBR": 80}),
        ("scicite", "test", {"background": 997, "method": 605, "result": 259}),
        ("agnews", "dev", {"World": 127, "Sports": 132, "Business": 107, "Sci/Tech": 134}),
        ("wrench/youtube", "test", {"HAM": 132, "SPAM": 118}),
        ("wrench/trec", "test", {"DESC": 138, "NUM": 113, "ENTY": 94, "LOC": 81, "HUM": 65, "ABBR": 9}),
        ("crowd/dog", "all", {"0": 172, "1": 185, "2": 218, "3": 232}),
        ("crowd/web", "all", {"0": 330, "1": 481, "2": 689, "3": 534, "4": 619, None: 12}),
    ],
)
def test_real_gold(read, name, split, counts):
    assert Counter(read(name)[split].gold) == counts


def test_real_rows(read):
    agnews = read("agnews")
    assert agnews["dev"].rows["sen_ner"][0].to_list() == ["PERSON", "PERSON", "DATE"]
    assert agnews["train_subset"].rows.columns == ["string", "title", "label"]
    scicite = read("scicite")["train"].rows
    assert scicite["citeStart"].dtype == pl.Float64
    assert scicite["sectionName"].null_count() == 19
    assert scicite["string"].null_count() == 0
    assert read("trec")["test"].rows["text"][0] == "How far is it from Denver to Aspen ?"


@pytest.mark.parametrize(("name", "workers", "answers"), [("dog", 109, 8070), ("web", 177, 15_567), ("rte", 164, 8000)])
def test_real_crowd_answers(read, name, workers, answers):
    votes = read(f"crowd/{name}")["all"].votes
    assert len(votes.names) == workers
    assert (votes.codes > 0).sum() == answers
    assert len(votes.to_crowd()) == answers
    assert votes.covered.all()


def test_real_people(read):
    with pytest.warns(ShortlistWarning, match="50 answers repeat"):
        votes = {kind: read(f"people/cifar10s/{kind}")["all"].votes for kind in ("likeliest", "two", "possible")}
    assert {table.shape for table in votes.values()} == {(1000, 248)}
    assert not any(codomain.inferred for codomain in votes["likeliest"].codomains)
    assert all(codomain.inferred and codomain.open for codomain in votes["possible"].codomains)
    largest = {kind: max(len(s) for c in table.codomains for s in c.says) for kind, table in votes.items()}
    assert largest["likeliest"] == 1
    assert largest["two"] == 2 < largest["possible"] < 10


@pytest.mark.parametrize(("name", "labelers"), [("wrench/trec", 68), ("wrench/youtube", 10)])
def test_real_wrench_votes(read, data_home, name, labelers):
    data = read(name)
    assert {split.votes.shape[1] for split in data.splits.values()} == {labelers}
    assert len({split.votes.codomains for split in data.splits.values()}) == 1
    with open(f"{data_home}/{name}/test.json", encoding="utf-8") as file:
        records = json.load(file)
    votes = data["test"].votes
    assert votes.ids.tolist() == list(records)
    assert votes.to_snorkel().tolist() == [record["weak_labels"] for record in records.values()]


def nearest_class(split):
    """The class that is in the most voted shortlists, as the paper's baseline; ties go to the first."""
    votes = split.votes
    scores = sum(
        np.vstack([np.zeros(len(votes.space)), codomain.member(votes.space)])[codes]
        for codomain, codes in zip(votes.codomains, votes.codes.T, strict=True)
    )
    return np.asarray(scores).argmax(axis=1), votes.space.positions(split.gold)


def test_the_shortlists_of_awa2_stand_the_right_way_round(read):
    """findings.md: Nearest Class has a mean class accuracy of 51.2. With the shortlists swapped it is 0.7."""
    data = read("awa2")
    assert data["all"].votes.shape == (7913, 78)
    guess, gold = nearest_class(data["all"])
    by_class = [(guess[gold == j] == j).mean() for j in range(10)]
    assert 100 * np.mean(by_class) == pytest.approx(51.2, abs=0.05)
    assert Counter(data["all"].gold)["giraffe"] == 1202


@pytest.mark.parametrize(
    ("kind", "here", "published"),
    [("A", 65.5, 65.8), ("F", 29.1, 31.2), ("V", 66.7, 60.3), ("E", 43.0, 40.3)],
)
def test_the_shortlists_of_lad_stand_the_right_way_round(read, kind, here, published):
    """The published averages are over five splits, of which three are here; swapped, they are all below 3."""
    scores = []
    for split in range(3):
        guess, gold = nearest_class(read(f"lad/{kind}{split}")["all"])
        scores.append(100 * (guess == gold).mean())
    assert np.mean(scores) == pytest.approx(here, abs=0.05)
    assert abs(np.mean(scores) - published) < 7


@pytest.mark.parametrize(("split", "rows", "unknown"), [(0, 2090, 212), (1, 1778, 149), (2, 1805, 100)])
def test_hairstyles_have_rows_without_gold(read, split, rows, unknown):
    gold = read(f"lad/H{split}")["all"].gold
    assert len(gold) == rows
    assert sum(name is None for name in gold) == unknown
