"""A project folder (shortlist.toml and labelers.py) and its stages, from rows to labels. See docs/project.md."""

from shortlist.project.project import Project
from shortlist.project.session import Listener, Session
from shortlist.project.stages.run import register_stage
from shortlist.project.stages.stage import Outcome, Stage
from shortlist.project.toml import BadProject

__all__ = ["BadProject", "Listener", "Outcome", "Project", "Session", "Stage", "register_stage"]
