"""Plain names: column names that databases take without quotes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_LATIN = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "þ": "th"})
LONGEST = 63  # bytes of a name; PostgreSQL cuts what is longer

# Words that SQLite, PostgreSQL or MySQL keep for themselves
_RESERVED = """
    add all alter analyse analyze and any array as asc asymmetric authorization autoincrement between binary both by
    call case cast change char character check collate column commit condition constraint convert create cross cube
    current_date current_role current_time current_timestamp current_user cursor database databases dec decimal
    declare default deferrable delete desc describe distinct div do double drop dual each else elseif end escape
    except exists exit explain false fetch float for force foreign freeze from full fulltext function generated get
    grant group grouping groups having if ignore ilike in index initially inner inout insert int integer intersect
    interval into is isnull iterate join key keys kill lag lateral lead leading leave left like limit linear lines load
    localtime localtimestamp lock long loop match mod natural not nothing notnull null numeric of offset on only
    optimize option or order out outer over overlaps partition placing precision primary procedure purge range rank
    read reads real recursive references regexp release rename repeat replace require restrict return returning
    revoke right rlike row row_number rows schema schemas select sensitive separator session_user set show signal
    similar smallint some spatial sql ssl starting stored symmetric system table tablesample terminated then to
    trailing transaction trigger true undo union unique unlock unsigned update usage use user using values varchar
    variadic varying verbose virtual when where while window with write xor zerofill
"""
RESERVED = frozenset(_RESERVED.split())


def plain_names(names: Iterable[str]) -> list[str]:
    """Small letters without accents, figures and _, none twice and no word of SQL, in the order of the names.

    >>> plain_names(["id", "belief_Middle East", "belief_middle-east", "2024", "Order"])
    ['id', 'belief_middle_east', 'belief_middle_east_2', '_2024', 'order_']
    """
    found: dict[str, None] = {}
    for name in names:
        base, number = plain_name(name), 1
        plain = base
        while plain in found:
            number += 1
            plain = _cut(base, LONGEST - len(f"_{number}")) + f"_{number}"
        found[plain] = None
    return list(found)


def plain_name(name: str) -> str:
    """One name. Latin letters lose their accents; letters of other scripts stay."""
    known = _plain_letters(unicodedata.normalize("NFKC", name).casefold())
    plain = _cut(re.sub(r"\W+", "_", known), LONGEST - 1).rstrip("_") or "column_"
    if plain in RESERVED:
        return f"{plain}_"
    return plain if plain[0].isalpha() or plain[0] == "_" else f"_{plain}"


def _plain_letters(text: str) -> str:
    apart = re.sub("([a-z])[\u0300-\u036f]+", r"\1", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", apart).translate(_LATIN)


def _cut(name: str, size: int) -> str:
    """The name, no longer than so many bytes."""
    return name.encode("utf-8", "ignore")[:size].decode("utf-8", "ignore")
