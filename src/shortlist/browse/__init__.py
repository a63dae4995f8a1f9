"""Find, show, explain and label the rows of a project. Plain data: the command line and the studio print it.

All functions take a `Session`: a project with its votes, its model and its gold labels at one moment.
"""

from shortlist.browse.labeling import next_row
from shortlist.browse.query import Query, select
from shortlist.browse.row_view import RowView, Why, final_beliefs, find_row, show_rows, why

__all__ = ["Query", "RowView", "Why", "final_beliefs", "find_row", "next_row", "select", "show_rows", "why"]
