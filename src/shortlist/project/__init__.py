"""A project folder (shortlist.toml and labelers.py) strung through the three stages. See docs/project.md."""

from shortlist.project.mistake import BadProject
from shortlist.project.outcome import Outcome
from shortlist.project.project import Project

__all__ = ["BadProject", "Outcome", "Project"]
