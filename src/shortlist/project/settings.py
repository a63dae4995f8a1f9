"""Settings: what shortlist.toml says, checked, with every mistake at its line. See docs/project.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Any

from shortlist.classifier.kinds import RESERVED, Reads, find_kind, kind_names
from shortlist.project.stages import STAGES
from shortlist.project.toml import Check, TomlFile, Wrong, a_text, is_encoding, such, texts, whole
from shortlist.wording import did_you_mean, given_twice

NAME = "shortlist.toml"
VERSION = 1


@dataclass(frozen=True)
class Data:
    """Where the rows are, and what their columns mean."""

    files: tuple[str, ...]
    text: str | None = None
    features: tuple[str, ...] = ()
    id: str | None = None
    gold: str | None = None
    gold_file: str = "gold.jsonl"  # what people say: see project/gold/file.py
    types: Mapping[str, str] = field(default_factory=dict)
    separator: str | None = None
    encoding: str | None = None


@dataclass(frozen=True)
class Labelers:
    """Where the labelers are, and how they are asked."""

    file: str = "labelers.py"
    depends: tuple[str, ...] = ()
    off: tuple[str, ...] = ()  # labelers that are not asked
    workers: int = 1
    on_error: str = "raise"
    full_set_abstains: bool = False


@dataclass(frozen=True)
class Classifier:
    """What is trained on the beliefs."""

    kind: str = "linear"
    on: tuple[str, ...] = ()  # columns of text; without any, data.text
    max_rows: int = 100_000
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Output:
    """Where results go."""

    folder: str = "out"
    format: str = "parquet"
    shortlist: float = 0.9
    stages: tuple[str, ...] = field(default_factory=lambda: STAGES.here)


@dataclass(frozen=True)
class Settings:
    """All of shortlist.toml."""

    toml: TomlFile = field(repr=False, compare=False)
    classes: tuple[str, ...]
    data: Data
    labelers: Labelers
    declared: tuple[Mapping[str, Any], ...]
    models: Mapping[str, Mapping[str, Any]]
    label_model: Mapping[str, Any]
    gold_fits: bool
    classifier: Classifier
    output: Output

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
            data=Data(**tables["data"]),
            labelers=Labelers(**tables["labelers"]),
            declared=_declared(toml),
            models=_models(toml),
            gold_fits=fit.pop("use_gold", False),
            label_model=fit,
            classifier=Classifier(**own, options=trained),
            output=Output(**tables["output"]),
        )
        _check_reading(read)
        return read


def _files(value: Any) -> tuple[str, ...]:
    found = texts([value] if isinstance(value, str) else value)
    if not found:
        raise Wrong("names at least one file")
    return found


def _columns(value: Any) -> tuple[str, ...]:
    found = texts([value] if isinstance(value, str) else value)
    if not found or len(set(found)) < len(found):
        raise Wrong('names columns, each once, such as ["title", "body"]')
    return found


def _inside(value: Any) -> str:
    """A folder in that of the project: a project that comes from elsewhere writes nowhere else."""
    folder = a_text(value)
    parts = Path(folder.replace("\\", "/")).parts
    if Path(folder).is_absolute() or PureWindowsPath(folder).drive or ".." in parts:
        raise Wrong("is a folder inside the project (`shortlist export --to` writes anywhere)")
    return folder


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 1:
        raise Wrong("is a share of belief, above 0 and at most 1")
    return float(value)


def _any(value: Any) -> Any:
    return value


_flag = such("is true or false", lambda value: isinstance(value, bool))
_sign = such("is one sign, such as ;", lambda value: isinstance(value, str) and len(value.encode()) == 1)
_encoding = such('is an encoding, such as "utf-8" or "latin-1"', is_encoding)


def _one_of(*choices: str) -> Check:
    def check(value: Any) -> str:
        if value not in choices:
            raise Wrong(f"is one of {_quoted(*choices)}")
        return str(value)

    return check


def _kind(value: Any) -> str:
    if value not in RESERVED and (not isinstance(value, str) or find_kind(value) is None):
        raise Wrong(f"is one of {_quoted(*kind_names(), *RESERVED)}")
    return str(value)


def _quoted(*names: str) -> str:
    return ", ".join(map(repr, names))


def _stages(value: Any) -> tuple[str, ...]:
    for name in texts(value):
        if name not in STAGES:
            raise Wrong(f"names stages, which are {', '.join(STAGES)}")
    here = STAGES.here  # those that packages announce come last
    return (*(name for name in here if name in value), *(name for name in value if name not in here))


def _types(value: Any) -> dict[str, str]:
    kinds = ("text", "number", "integer", "boolean")
    if not isinstance(value, dict) or not all(kind in kinds for kind in value.values()):
        raise Wrong(f"says what columns hold, each one of {', '.join(map(repr, kinds))}")
    return dict(value)


_DATA: dict[str, Check] = {
    "files": _files, "text": a_text, "features": texts, "id": a_text, "gold": a_text, "gold_file": a_text,
    "types": _types,
    "separator": _sign, "encoding": _encoding,
}  # fmt: skip
_LABELERS: dict[str, Check] = {
    "file": a_text, "depends": texts, "off": texts, "workers": whole, "on_error": _one_of("raise", "abstain"),
    "full_set_abstains": _flag,
}  # fmt: skip
_OUTPUT: dict[str, Check] = {
    "folder": _inside, "format": _one_of("parquet", "csv", "jsonl"), "shortlist": _share, "stages": _stages,
}  # fmt: skip
_TABLES: dict[str, dict[str, Check]] = {
    "data": _DATA,
    "labelers": _LABELERS,
    "label_model": {"use_gold": _flag, "*": _any},
    "classifier": {"kind": _kind, "on": _columns, "max_rows": whole, "*": _any},
    "output": _OUTPUT,
}


def _version(toml: TomlFile) -> None:
    version = toml.values.get("version")
    if version is None:
        raise toml.wrong(f"it does not say which version of the format it has: start it with `version = {VERSION}`")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise toml.wrong(f"version is a whole number, {VERSION} today; got {version!r}", "version")
    if version > VERSION:
        raise toml.wrong(
            f"it was written for a newer shortlist (version {version}; this one reads {VERSION}): upgrade shortlist",
            "version",
        )


def _known(toml: TomlFile, values: Mapping[str, Any], known: Any, *path: str) -> None:
    for name in values:
        if name not in known:
            what = ".".join((*path, name))
            names = sorted(set(known) - {"*"})
            raise toml.wrong(f"{what} is no setting.{did_you_mean(name, names)} Settings here: {', '.join(names)}",
                             *path, name)  # fmt: skip


def _table(toml: TomlFile, name: str) -> dict[str, Any]:
    """One table, every value of it checked."""
    values, checks = toml.values.get(name, {}), _TABLES[name]
    if not isinstance(values, dict):
        raise toml.wrong(f"{name} is a table: write [{name}] on a line of its own and its settings below", name)
    if "*" not in checks:
        _known(toml, values, checks, name)
    if name == "data" and "files" not in values:
        raise toml.wrong('[data] does not say which files hold the rows: files = ["rows.csv"]', name)
    return {key: _checked(toml, checks.get(key, _any), value, name, key) for key, value in values.items()}


def _checked(toml: TomlFile, check: Check, value: Any, *path: str) -> Any:
    try:
        return check(value)
    except Wrong as error:
        raise toml.wrong(f"{'.'.join(path)} {error}; got {value!r}", *path) from None


def _check_reading(settings: Settings) -> None:
    """A classifier that reads one thing only is given that."""
    kind, on, data = find_kind(settings.classifier.kind), settings.classifier.on, settings.data
    _check_on(settings)
    if kind is None:
        return
    if kind.reads == "numbers" and not data.features:
        lacking = f'reads columns of numbers: name them, features = ["…"] under [data]. {_others("text")}'
    elif kind.reads == "text" and data.text is None and not on:
        lacking = f'reads text: name its column, text = "…" under [data]. {_others("numbers")}'
    else:
        return
    raise settings.toml.wrong(f'"{kind.name}" {lacking}', "classifier", "kind")


def _others(reads: Reads) -> str:
    return f"Kinds that read {reads}: {_quoted(*kind_names(reads))}"


def _check_on(settings: Settings) -> None:
    """Columns are named to a classifier that reads text, and known classes are not among them."""
    on, gold, kind = settings.classifier.on, settings.data.gold, find_kind(settings.classifier.kind)
    if on and kind is not None and kind.reads == "numbers":
        message = f'"{kind.name}" reads the features of [data], no text: leave classifier.on out, or take another kind'
    elif gold in on:
        message = f"column {gold!r} holds the known classes, which score and never fit: leave it out of classifier.on"
    else:
        return
    raise settings.toml.wrong(message, "classifier", "on")


def _classes(toml: TomlFile) -> tuple[str, ...]:
    classes = toml.values.get("classes")
    if classes is None:
        raise toml.wrong('it does not name the classes: classes = ["one", "other"], before the first [table]')
    names: tuple[str, ...] = _checked(toml, texts, classes, "classes")
    if twice := given_twice(names):
        raise toml.wrong(f"class {twice!r} is named twice", "classes")
    if len(names) < 2:
        raise toml.wrong(f"at least two classes are needed; got {list(names)}", "classes")
    return names


def _declared(toml: TomlFile) -> tuple[Mapping[str, Any], ...]:
    """The labelers of the toml as they are written there; `toml_labelers.py` makes them."""
    records = toml.values.get("labeler", [])
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise toml.wrong("labelers are written below [[labeler]], with two brackets", "labeler")
    return tuple(records)


def _models(toml: TomlFile) -> Mapping[str, Mapping[str, Any]]:
    """The language models of the toml as they are written there; `toml_models.py` makes them."""
    records = toml.values.get("models", {})
    if not isinstance(records, dict) or not all(isinstance(record, dict) for record in records.values()):
        raise toml.wrong("each language model is a table of its own: [models.NAME]", "models")
    return records
