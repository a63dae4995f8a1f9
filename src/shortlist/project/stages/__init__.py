"""Stages: the steps from rows to labels and a classifier; run.py lists and runs them."""
