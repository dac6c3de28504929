"""What is promised about a release, and how it is counted.

models   of classes of rows: l-diversity, t-closeness, delta-presence and their like
noise    differential privacy: the ledger, the only way to noise, and its mechanisms
classes, release   rows that look alike, and the release of a k-anonymous table
"""

from coclust_synth.privacy.classes import EquivalenceClasses, equivalence_classes
from coclust_synth.privacy.models.base import PrivacyModel
from coclust_synth.privacy.models.closeness import TCloseness
from coclust_synth.privacy.models.diversity import (
    AlphaK,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    KPersons,
    RecursiveLDiversity,
)
from coclust_synth.privacy.models.presence import DeltaPresence, KMap, Sampled
from coclust_synth.privacy.noise.ledger import LedgerEntry, PrivacyLedger
from coclust_synth.privacy.release import ReleaseReport

__all__ = [
    "AlphaK",
    "DeltaPresence",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "EquivalenceClasses",
    "KAnonymity",
    "KMap",
    "KPersons",
    "LedgerEntry",
    "PrivacyLedger",
    "PrivacyModel",
    "RecursiveLDiversity",
    "ReleaseReport",
    "Sampled",
    "TCloseness",
    "equivalence_classes",
]
