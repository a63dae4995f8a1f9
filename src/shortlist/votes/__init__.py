"""What every labeler said about every row, and how that is kept, counted and exchanged."""

from shortlist.votes.codomain import Codomain, Failure
from shortlist.votes.patterns import Patterns
from shortlist.votes.votes import Votes

__all__ = ["Codomain", "Failure", "Patterns", "Votes"]
