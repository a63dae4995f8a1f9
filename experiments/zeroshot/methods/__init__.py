"""Zero-shot methods to compare with; they read the same features and attribute tables as `ZeroShotClassifier`."""

from experiments.zeroshot.methods.conse import ConSE
from experiments.zeroshot.methods.eszsl import ESZSL
from experiments.zeroshot.methods.qfsl import QFSL
from experiments.zeroshot.methods.sync import SynC
from experiments.zeroshot.methods.vcl import VCL
from experiments.zeroshot.methods.wdvsc import WDVSc

__all__ = ["ESZSL", "QFSL", "VCL", "ConSE", "SynC", "WDVSc"]
