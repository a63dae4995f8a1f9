"""The studio: a project in the browser. A person writes a rule, sees what it does, labels some rows, and goes on.

Everything that the page shows is plain data made by functions of this room, which know nothing of HTTP. `server` hands
that data to one page on this machine, and to nobody else (`guard`).
"""

from shortlist.studio.desk import Desk

__all__ = ["Desk"]
