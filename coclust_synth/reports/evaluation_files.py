"""An evaluation as files for machines, and as lines for a terminal."""

import json

from coclust_synth.evaluation.evaluation_result import Evaluation
from coclust_synth.reports.console import print_table
from coclust_synth.reports.headline import headlines
from coclust_synth.reports.html.story import OUTSIDE_THE_BUDGET, Story


def evaluation_json(evaluation: Evaluation, told: Story) -> bytes:
    """All that an evaluation found, and of what release, as a JSON object."""
    release = {name: value for name, value in told._asdict().items() if value}
    content = {"release": release} | evaluation.to_dict()
    if told.is_private:
        content["outside_the_budget"] = OUTSIDE_THE_BUDGET
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1)
    return f"{text}\n".encode()


def evaluation_csv(evaluation: Evaluation) -> bytes:
    """The scores as a table; what was not measured is empty."""
    text = evaluation.to_frame().to_csv(index=False, lineterminator="\n")
    return text.encode()


def print_evaluation(evaluation: Evaluation) -> None:
    """Print the first figures of both groups, and what stands out."""
    for group in ("utility", "risk"):
        rows = [
            (
                figure.title,
                figure.value,
                figure.interval,
                "; ".join(f"{what} {value}" for what, value in figure.beside),
            )
            for figure in headlines(evaluation, group)
        ]
        print_table((group, "release", "95 %", "beside"), rows)
    if evaluation.facts.n_holdout is None:
        print(
            "No holdout: what takes rows that the release was made without is not "
            "measured (--holdout)."
        )
    for name, why in evaluation.facts.left_out.items():
        print(f"Not compared: {name} ({why}).")
    for finding in evaluation.findings:
        print(f"Warning: {finding.text}")
