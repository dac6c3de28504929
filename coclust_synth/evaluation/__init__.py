"""What a table lost and what it discloses, from the table and nothing else.

evaluating          all of a release at once, beside honest references; its result is
                    evaluation_result, what each figure is in measures, what stands
                    out in findings
  comparing         the tables in the same codes
  utility, risk     the figures of both groups
trade_offs          what another k or epsilon would have given
checking            the classes of a release, its privacy models, its households
generalisation      what generalisation took away, and how hierarchies agree
distances           how far a synthetic table's counts are
telling_apart       how well classifiers and neighbours tell rows apart; a fit on 80 %
"""

from coclust_synth.evaluation.checking.households import HouseholdRisk, household_risk
from coclust_synth.evaluation.checking.privacy_check import check_release
from coclust_synth.evaluation.checking.privacy_result import PrivacyCheck
from coclust_synth.evaluation.distances.hellinger import (
    joint_hellinger,
    joint_hellinger_distances,
    mean_joint_hellinger,
)
from coclust_synth.evaluation.distances.margins import (
    margin_distances,
    mean_margin_distances,
    table_margin_distances,
)
from coclust_synth.evaluation.evaluating import evaluate
from coclust_synth.evaluation.evaluation_result import Evaluation, Finding, Score
from coclust_synth.evaluation.generalisation.hierarchies import (
    HierarchyAgreement,
    compare_hierarchies,
)
from coclust_synth.evaluation.generalisation.losses import (
    arx_loss,
    average_class_size,
    classification_metric,
    completeness,
    discernability,
    information_loss,
    precision,
)
from coclust_synth.evaluation.risk.scenario import Scenario
from coclust_synth.evaluation.risk.two_releases import check_two_releases
from coclust_synth.evaluation.telling_apart.auc import AUC, auc_with_interval
from coclust_synth.evaluation.telling_apart.audit import Audit, audit_synthesizer
from coclust_synth.evaluation.telling_apart.membership import (
    membership_auc,
    table_membership_auc,
)
from coclust_synth.evaluation.telling_apart.nearest_rows import (
    Membership,
    NearestRowAttack,
)
from coclust_synth.evaluation.telling_apart.real_vs_synthetic import (
    real_vs_synthetic_auc,
    table_real_vs_synthetic_auc,
)

__all__ = [
    "AUC",
    "Audit",
    "Evaluation",
    "Finding",
    "HierarchyAgreement",
    "HouseholdRisk",
    "Membership",
    "NearestRowAttack",
    "PrivacyCheck",
    "Scenario",
    "Score",
    "arx_loss",
    "auc_with_interval",
    "audit_synthesizer",
    "average_class_size",
    "check_release",
    "check_two_releases",
    "classification_metric",
    "compare_hierarchies",
    "completeness",
    "discernability",
    "evaluate",
    "household_risk",
    "information_loss",
    "joint_hellinger",
    "joint_hellinger_distances",
    "margin_distances",
    "mean_joint_hellinger",
    "mean_margin_distances",
    "membership_auc",
    "precision",
    "real_vs_synthetic_auc",
    "table_margin_distances",
    "table_membership_auc",
    "table_real_vs_synthetic_auc",
]
