"""A project folder (shortlist.toml and labelers.py) and its stages, from rows to labels. See docs/project.md."""

from shortlist.project.mistake import BadProject
from shortlist.project.project import Project
from shortlist.project.session import Session
from shortlist.project.stages import Outcome, Stage, register_stage

__all__ = ["BadProject", "Outcome", "Project", "Session", "Stage", "register_stage"]
