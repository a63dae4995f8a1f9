"""Settings: the values of shortlist.toml, checked; a mistake is an error with its line. See docs/project.md."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from inspect import signature
from pathlib import Path, PureWindowsPath
from typing import Any

from shortlist.classifier.kinds import RESERVED, find_kind, kind_names
from shortlist.engines import ENGINES, is_elsewhere
from shortlist.project.toml import BadProject, TomlFile
from shortlist.registry import TABLE_FORMATS
from shortlist.wording import did_you_mean, first_duplicate

NAME = "shortlist.toml"
TEACHERS = ("auto", "counting", "label-model", "mean")  # of JointModel, which is not imported for this
Check = Callable[[Any], Any]


# -- checks of values --------------------------------------------------------------------------------------


class Wrong(Exception):  # noqa: N818
    """The error about a value, which says what it should be."""


def _rule(message: str, test: Callable[[Any], bool], convert: Check = lambda value: value) -> Check:
    """Return a check that converts values that pass the test, and raises Wrong for others."""

    def check(value: Any) -> Any:
        if not test(value):
            raise Wrong(message)
        return convert(value)

    return check


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_inside(value: Any) -> bool:
    """Name of a folder inside the project: a project from elsewhere writes nowhere else."""
    path = PureWindowsPath(value if _is_text(value) else "/")
    return not (path.root or path.drive or ".." in path.parts)


def quoted(*names: str) -> str:
    return ", ".join(map(repr, names))


_text = _rule("is a text between quotation marks", _is_text)
_texts = _rule(
    'is a list of texts, such as ["one", "two"]', lambda v: isinstance(v, list) and all(map(_is_text, v)), tuple
)
_whole = _rule("is a whole number from 1", lambda v: type(v) is int and v >= 1)
_flag = _rule("is true or false", lambda v: isinstance(v, bool))
_share = _rule("is a share of belief, above 0 and at most 1", lambda v: type(v) in (int, float) and 0 < v <= 1, float)
_inside = _rule("is a folder inside the project (`shortlist export --to` writes anywhere)", _is_inside)
check_sign = _rule("is one character, such as ;", lambda v: isinstance(v, str) and len(v.encode()) == 1)
column_types = ("text", "number", "integer", "boolean")
_types = _rule(
    f"says what columns hold, each one of {quoted(*column_types)}",
    lambda v: isinstance(v, dict) and all(kind in column_types for kind in v.values()), dict,
)  # fmt: skip


def _names(message: str, test: Callable[[tuple[str, ...]], bool]) -> Check:
    check = _rule(message, test)
    return lambda value: check(_texts([value] if isinstance(value, str) else value))


_files = _names("names at least one file", bool)
_columns = _names('names columns, each once, such as ["title", "body"]', lambda v: 0 < len(set(v)) == len(v))


def _one_of(*choices: str) -> Check:
    return _rule(f"is one of {quoted(*choices)}", lambda value: value in choices, str)


def _kind(value: Any) -> str:
    if value not in RESERVED and (not isinstance(value, str) or find_kind(value) is None):
        raise Wrong(f"is one of {quoted(*kind_names(), *RESERVED)}")
    return str(value)


def check_encoding(value: Any) -> str:
    try:
        return codecs.lookup(value).name
    except (LookupError, TypeError):
        raise Wrong('is an encoding, such as "utf-8" or "latin-1"') from None


def _setting(check: Check, default: Any = MISSING) -> Any:
    """A setting of a table: how its value is checked, and what it is where it is not written."""
    return field(default=default, metadata={"check": check})


# -- tables ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DataSettings:
    """The data files, and the meaning of their columns."""

    files: tuple[str, ...] = _setting(_files)
    text: str | None = _setting(_text, None)
    features: tuple[str, ...] = _setting(_texts, ())
    id: str | None = _setting(_text, None)
    gold: str | None = _setting(_text, None)
    gold_file: str = _setting(_text, "gold.jsonl")  # labels made by people: see gold.py
    people: str = _setting(_one_of("gold", "votes"), "gold")  # what these labels are: "gold" or "votes"
    types: Mapping[str, str] = field(default_factory=dict, metadata={"check": _types})
    separator: str | None = _setting(check_sign, None)
    encoding: str | None = _setting(check_encoding, None)
    comment: str | None = _setting(_text, None)

    @property
    def dialect(self) -> dict[str, Any]:
        """Options by which csv files are read, as `RowFile` takes them."""
        return {"separator": self.separator, "encoding": self.encoding, "comment": self.comment}


@dataclass(frozen=True)
class LabelerSettings:
    """The file of the labelers, and how they are called."""

    file: str = _setting(_text, "labelers.py")
    depends: tuple[str, ...] = _setting(_texts, ())
    off: tuple[str, ...] = _setting(_texts, ())  # labelers that are switched off
    workers: int = _setting(_whole, 1)
    on_error: str = _setting(_one_of("raise", "abstain"), "raise")


@dataclass(frozen=True)
class ClassifierSettings:
    """The classifier that is trained on the beliefs."""

    kind: str = _setting(_kind, "linear")
    on: tuple[str, ...] = _setting(_columns, ())  # columns of text; without any, data.text
    max_rows: int = _setting(_whole, 100_000)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def encoder(self) -> str | None:
        """The encoder of texts, which labelers of kind similar take, too."""
        return self.options.get("encoder")


@dataclass(frozen=True)
class OutputSettings:
    """The output folder and its formats."""

    folder: str = _setting(_inside, "out")
    format: str = _setting(_one_of(*TABLE_FORMATS), "parquet")
    shortlist: float = _setting(_share, 0.9)
    by: str = _setting(_one_of(*TEACHERS), "auto")  # who teaches the classifier
    partitioned: bool | None = _setting(_flag, None)  # None: where the engine works on other machines
    stages: tuple[str, ...] | None = _setting(_texts, None)  # None: all


@dataclass(frozen=True)
class EngineSettings:
    """The engine that votes, counts rows and writes labels."""

    kind: str = _setting(_one_of(*ENGINES), "local")
    address: str | None = _setting(_text, None)
    workers: int | None = _setting(_whole, None)
    part_rows: int = _setting(_whole, 131_072)


def _checks(settings: Any) -> dict[str, Check]:
    return {one.name: one.metadata["check"] for one in fields(settings) if one.metadata}


_TABLES: dict[str, dict[str, Check]] = {
    "data": _checks(DataSettings),
    "labelers": _checks(LabelerSettings),
    "label_model": {"use_gold": _flag, "*": lambda value: value},
    "classifier": {**_checks(ClassifierSettings), "encoder": _text, "*": lambda value: value},
    "output": _checks(OutputSettings),
    "engine": _checks(EngineSettings),
}


@dataclass(frozen=True)
class Settings:
    """All of shortlist.toml."""

    toml: TomlFile = field(repr=False, compare=False)
    classes: tuple[str, ...]
    data: DataSettings
    labelers: LabelerSettings
    declared: tuple[Mapping[str, Any], ...]
    models: Mapping[str, Mapping[str, Any]]
    label_model: Mapping[str, Any]
    use_gold: bool | None  # None: gold wins and trains the classifier; True: it fits the label model, too
    classifier: ClassifierSettings
    output: OutputSettings
    engine: EngineSettings

    @property
    def gold_fits(self) -> bool:
        """Known classes fit the label model."""
        return self.use_gold is True

    @property
    def gold_wins(self) -> bool:
        """Known classes are the labels of their rows, and train the classifier; else they score only."""
        return self.use_gold is not False

    @property
    def partitioned(self) -> bool:
        """Labels are written in parts, as votes are."""
        return self.engine.kind != "local" if self.output.partitioned is None else self.output.partitioned

    def with_engine(self, engine: Any, address: str | None = None) -> Settings:
        """Copy with another engine, given by name or as an object."""
        if engine is None and address is None:
            return self
        if engine is None or isinstance(engine, str):
            chosen = replace(self.engine, kind=engine or self.engine.kind, address=address or self.engine.address)
            return replace(self, engine=chosen)
        kind = type(engine).__name__.lower() if is_elsewhere(engine) else "local"
        return replace(self, engine=replace(self.engine, kind=kind))

    def taught_by(self, by: str | None) -> Settings:
        """Copy with another teacher of the classifier."""
        if by is None:
            return self
        if by not in TEACHERS:
            raise BadProject(f"labels are made by one of {quoted(*TEACHERS)}; got {by!r}", option=("by",))
        return replace(self, output=replace(self.output, by=by))

    @classmethod
    def read(cls, folder: Path) -> Settings:
        toml = TomlFile(folder / NAME)
        values = toml.values
        _version(toml)
        _known(toml, values, ("version", "classes", "labeler", "models", *_TABLES))
        tables = {name: _table(toml, name) for name in _TABLES}
        fit = tables["label_model"]
        trained = tables["classifier"]
        own = {name: trained.pop(name) for name in ("kind", "on", "max_rows") if name in trained}
        read = cls(
            toml=toml,
            classes=_classes(toml),
            data=DataSettings(**tables["data"]),
            labelers=LabelerSettings(**tables["labelers"]),
            declared=_declared(toml),
            models=_models(toml),
            use_gold=fit.pop("use_gold", None),
            label_model=fit,
            classifier=ClassifierSettings(**own, options=trained),
            output=OutputSettings(**tables["output"]),
            engine=EngineSettings(**tables["engine"]),
        )
        _check_reading(read)
        return read


# -- reading -----------------------------------------------------------------------------------------------


def _version(toml: TomlFile) -> None:
    version = toml.values.get("version")
    if version is None:
        raise toml.wrong("it does not say which version of the format it has: start it with `version = 1`")
    if type(version) is not int or version < 1:
        raise toml.wrong(f"version is a whole number, 1 today; got {version!r}", "version")
    if version > 1:
        message = f"it was written for a newer shortlist (version {version}; this one reads 1): upgrade shortlist"
        raise toml.wrong(message, "version")


def _known(toml: TomlFile, values: Mapping[str, Any], known: Any, *path: str) -> None:
    for name in values:
        if name not in known:
            what = ".".join((*path, name))
            names = sorted(set(known) - {"*"})
            hint = belongs(name, *path) or did_you_mean(name, names)
            raise toml.wrong(f"{what} is no setting.{hint} Settings here: {', '.join(names)}", *path, name)


def belongs(name: str, *here: str) -> str:
    """Hint that this is a setting of another table, after a blank; empty if it is in none."""
    if here and name in ("version", "classes"):
        return " It belongs at the top of the file, before the first [table]."
    from shortlist.labelmodel import LabelModel

    known = {table: set(checks) for table, checks in _TABLES.items()}
    known["label_model"] |= set(signature(LabelModel).parameters)
    tables = [f"[{table}]" for table, names in known.items() if name in names and (table,) != here]
    return f" It belongs under {' or '.join(tables)}." if tables else ""


def _table(toml: TomlFile, name: str) -> dict[str, Any]:
    values, checks = toml.values.get(name, {}), _TABLES[name]
    if not isinstance(values, dict):
        raise toml.wrong(f"{name} is a table: write [{name}] on a line of its own and its settings below", name)
    if "*" not in checks:
        _known(toml, values, checks, name)
    if name == "data" and "files" not in values:
        raise toml.wrong('[data] does not say which files hold the rows: files = ["rows.csv"]', name)
    return {
        key: _checked(toml, checks[key if key in checks else "*"], value, name, key) for key, value in values.items()
    }


def _checked(toml: TomlFile, check: Check, value: Any, *path: str) -> Any:
    try:
        return check(value)
    except Wrong as error:
        raise toml.wrong(f"{'.'.join(path)} {error}; got {value!r}", *path) from None


def _check_reading(settings: Settings) -> None:
    """Raise if the columns that the classifier reads are not named, or hold the known classes."""
    chosen, on, data = settings.classifier.kind, settings.classifier.on, settings.data
    found = find_kind(chosen)
    reads = None if found is None else found.reads
    if on and reads == "numbers":
        key = "on"
        message = f'"{chosen}" reads the features of [data], no text: leave classifier.on out, or take another kind'
    elif data.gold in on:
        key = "on"
        message = f"column {data.gold!r} holds the known classes, which it must not read: leave it out of classifier.on"
    elif reads == "numbers" and not data.features:
        key, lacking = "kind", 'reads columns of numbers: name them, features = ["…"] under [data]'
        message = f'"{chosen}" {lacking}. Kinds that read text: {quoted(*kind_names("text"))}'
    elif reads == "text" and data.text is None and not on:
        key, lacking = "kind", 'reads text: name its column, text = "…" under [data]'
        message = f'"{chosen}" {lacking}. Kinds that read numbers: {quoted(*kind_names("numbers"))}'
    else:
        return
    raise settings.toml.wrong(message, "classifier", key)


def _classes(toml: TomlFile) -> tuple[str, ...]:
    classes = toml.values.get("classes")
    if classes is None:
        raise toml.wrong('it does not name the classes: classes = ["one", "other"], before the first [table]')
    names: tuple[str, ...] = _checked(toml, _texts, classes, "classes")
    if twice := first_duplicate(names):
        raise toml.wrong(f"class {twice!r} is named twice", "classes")
    if len(names) < 2:
        raise toml.wrong(f"at least two classes are needed; got {list(names)}", "classes")
    return names


def _declared(toml: TomlFile) -> tuple[Mapping[str, Any], ...]:
    records = toml.values.get("labeler", [])
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise toml.wrong("labelers are written below [[labeler]], with two brackets", "labeler")
    return tuple(records)


def _models(toml: TomlFile) -> Mapping[str, Mapping[str, Any]]:
    records = toml.values.get("models", {})
    if not isinstance(records, dict) or not all(isinstance(record, dict) for record in records.values()):
        raise toml.wrong("each language model is a table of its own: [models.NAME]", "models")
    return records
