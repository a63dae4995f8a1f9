"""Votes: the answers of every labeler about every row; their files, patterns and formats of exchange."""

from shortlist.votes.codomain import Codomain, Failure
from shortlist.votes.patterns import Patterns
from shortlist.votes.votes import Votes

__all__ = ["Codomain", "Failure", "Patterns", "Votes"]
