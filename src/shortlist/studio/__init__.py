"""The studio: a project in the browser. Write a rule, see what it does, label some rows, compare.

`Service` returns everything that the page shows as plain data, and knows nothing of HTTP. `server` hands it to one page
on this machine, and to nobody else.
"""

from shortlist.studio.open_project import OpenProject

__all__ = ["OpenProject"]
