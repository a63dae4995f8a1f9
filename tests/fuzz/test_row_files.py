"""Files of rows that were cut, flipped or written by who knows what: rows, or a BadFile, and nothing else."""

import gzip
import io
import random
from contextlib import suppress

import polars as pl
import pytest

from shortlist.errors import ShortlistError
from shortlist.rows import RowFile
from tests.fuzz.test_fuzz import runs

FRAME = pl.DataFrame({"id": range(300), "text": [f'say "é{i * 7919}", ok' for i in range(300)], "x": [0.5, None] * 150})


def written(kind):
    file = io.BytesIO()
    {"csv": FRAME.write_csv, "jsonl": FRAME.write_ndjson, "parquet": FRAME.write_parquet}[kind](file)
    return file.getvalue()


def damaged(draw, content):
    match draw.randrange(6):
        case 0:
            return content[: draw.randrange(len(content))]
        case 1:
            at = draw.randrange(len(content))
            return content[:at] + draw.randbytes(draw.randint(1, 40)) + content[at + 8 :]
        case 2:
            return draw.choice([b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\0", b"\n\n"]) + content
        case 3:
            return content.replace(b"\n", draw.choice([b"\r", b"\r\n", b"\n\r", b"\0"]))
        case 4:
            return content.replace(b'"', draw.choice([b"'", b'""', b"[", b"{"]), draw.randint(1, 9))
        case _:
            return content.replace(b"7919", draw.choice([b"9" * 40, b"[" * 3000, b"\xff", b"1e999"]), 1)


@runs
@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.jsonl", "x.jsonl.gz", "x.parquet"])
def test_damaged_files(name, seed, tmp_path):
    draw, kind, path = random.Random(f"{seed} {name}"), name.split(".")[1], tmp_path / name
    for _ in range(10):
        content, packed = written(kind), name.endswith(".gz")
        content = damaged(draw, content) if not packed or draw.random() < 0.5 else content
        path.write_bytes(content if not packed else damaged(draw, gzip.compress(content, mtime=0)))
        with suppress(ShortlistError):
            file = RowFile(path)
            rows = file.read()
            assert len(rows) == len(file)
            if len(rows):
                assert file.take([len(rows) - 1]).height == 1
