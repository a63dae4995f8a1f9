"""Kept: what a project need not do twice, and how it knows: digests, the record of stages, votes, the lock."""
