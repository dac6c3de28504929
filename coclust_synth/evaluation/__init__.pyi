from .checking.households import HouseholdRisk as HouseholdRisk
from .checking.households import household_risk as household_risk
from .checking.privacy_check import check_release as check_release
from .checking.privacy_result import PrivacyCheck as PrivacyCheck
from .distances.hellinger import joint_hellinger as joint_hellinger
from .distances.hellinger import joint_hellinger_distances as joint_hellinger_distances
from .distances.hellinger import mean_joint_hellinger as mean_joint_hellinger
from .distances.margins import margin_distances as margin_distances
from .distances.margins import mean_margin_distances as mean_margin_distances
from .distances.margins import table_margin_distances as table_margin_distances
from .evaluating import evaluate as evaluate
from .evaluation_result import Evaluation as Evaluation
from .evaluation_result import Finding as Finding
from .evaluation_result import Score as Score
from .generalisation.hierarchies import HierarchyAgreement as HierarchyAgreement
from .generalisation.hierarchies import compare_hierarchies as compare_hierarchies
from .generalisation.losses import arx_loss as arx_loss
from .generalisation.losses import average_class_size as average_class_size
from .generalisation.losses import classification_metric as classification_metric
from .generalisation.losses import completeness as completeness
from .generalisation.losses import discernability as discernability
from .generalisation.losses import information_loss as information_loss
from .generalisation.losses import precision as precision
from .risk.scenario import Scenario as Scenario
from .risk.two_releases import check_two_releases as check_two_releases
from .telling_apart.auc import AUC as AUC
from .telling_apart.auc import auc_with_interval as auc_with_interval
from .telling_apart.audit import Audit as Audit
from .telling_apart.audit import audit_synthesizer as audit_synthesizer
from .telling_apart.membership import membership_auc as membership_auc
from .telling_apart.nearest_rows import Membership as Membership
from .telling_apart.nearest_rows import NearestRowAttack as NearestRowAttack
from .telling_apart.real_vs_synthetic import (
    real_vs_synthetic_auc as real_vs_synthetic_auc,
)
