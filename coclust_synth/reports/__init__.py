"""Results as people and other tools read them.

khiops   co-clustering reports in the format of Khiops
html     a release as a page: its figures, and sections of what else is known of it
view     a co-clustering as a page to explore: what it shows, and the script
the others print what a command did, as facts, tables and trees
"""

from coclust_synth.reports.evaluation_files import read_evaluation
from coclust_synth.reports.hierarchy_tree import draw_hierarchy
from coclust_synth.reports.khiops.coclustering import coclustering_report
from coclust_synth.reports.khiops.costs import ReportCosts, report_costs
from coclust_synth.reports.khiops.data_grid import data_grid_report
from coclust_synth.reports.khiops.files import read_khiops_report, write_khiops_report
from coclust_synth.reports.khiops.report import CoclusteringReport

__all__ = [
    "CoclusteringReport",
    "ReportCosts",
    "coclustering_report",
    "data_grid_report",
    "draw_hierarchy",
    "read_evaluation",
    "read_khiops_report",
    "report_costs",
    "write_khiops_report",
]
