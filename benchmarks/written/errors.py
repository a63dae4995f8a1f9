from __future__ import annotations


class MissingError(Exception):
    """Something that a table is made from is not here. The message says what, or how to get it."""
