"""The folder of an evaluation, which `evaluate` writes, and commands with --report."""

from coclust_synth.cli.tables import check_output_folder
from coclust_synth.reports.evaluation_files import evaluation_csv, evaluation_json
from coclust_synth.reports.html.page import evaluation_page
from coclust_synth.reports.html.story import story
from coclust_synth.tables.files.folders import atomic_folder

JSON, CSV, PAGE = "evaluation.json", "evaluation.csv", "report.html"


def check_evaluated(folder, force, *, inputs):
    """Refuse, before any work, a folder that the files cannot be written to."""
    check_output_folder(folder, force, {JSON, CSV, PAGE}.__contains__, inputs=inputs)


def write_evaluated(folder, found, released, manifest):
    """Write the page and the figures of an evaluation.

    Parameters
    ----------
    folder : Path
    found : Evaluation
    released : Path
        The release; its name is told.
    manifest : dict or None
    """
    told = story(released.name, found.facts, manifest)
    files = {
        JSON: evaluation_json(found),
        CSV: evaluation_csv(found),
        PAGE: evaluation_page(found, told).encode(),
    }
    with atomic_folder(folder) as new:
        for name, content in files.items():
            (new / name).write_bytes(content)
