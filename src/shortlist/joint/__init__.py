"""Joint: labels and a classifier from votes, rows and gold together.

joint = JointModel().fit(votes, rows, gold)
joint.beliefs_          # (m, k): P(class | votes, row)
joint.classifier_       # reads new rows
"""

from shortlist.joint.joint_model import JointModel
from shortlist.joint.teacher import Teacher

__all__ = ["JointModel", "Teacher"]
