"""Browse: the rows of a project as people look at them: found, shown, explained, labelled. Plain data, no screen.

The command line and the studio show what these functions return. All of them take a `Session`: a project with its
votes, its model and what people know, as they are at one moment.
"""

from shortlist.browse.query import Query
from shortlist.browse.queue import next_row
from shortlist.browse.selection import select
from shortlist.browse.shown import Shown, show_rows
from shortlist.browse.why import Why, find_row, why

__all__ = ["Query", "Shown", "Why", "find_row", "next_row", "select", "show_rows", "why"]
