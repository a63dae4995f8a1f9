"""The starter: what `shortlist init` and the studio write for a data file, and what they find out about it."""

from shortlist.project.starter.guess import Guess
from shortlist.project.starter.known import known_classes, not_classes
from shortlist.project.starter.labelers_text import labelers_text
from shortlist.project.starter.starter import data_file, write_starter
from shortlist.project.starter.toml_text import toml_text

__all__ = ["Guess", "data_file", "known_classes", "labelers_text", "not_classes", "toml_text", "write_starter"]
