"""Advising: what to do next, what it would bring, and the line of code that does it."""
