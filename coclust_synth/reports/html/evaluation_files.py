"""An evaluation as files for machines, and as lines for a terminal."""

import json
import os

from coclust_synth.evaluation.evaluation_result import Evaluation
from coclust_synth.reports.console import one_line, print_table
from coclust_synth.reports.html.headline import (
    OUTSIDE_THE_BUDGET,
    Story,
    headlines,
    left_out_by_reason,
)
from coclust_synth.tables.literals import read_json


def evaluation_json(evaluation: Evaluation, told: Story) -> bytes:
    """All that an evaluation found, and of what release, as a JSON object."""
    release = {name: value for name, value in told._asdict().items() if value}
    content = {"release": release} | evaluation.to_dict()
    if told.is_private:
        content["outside_the_budget"] = OUTSIDE_THE_BUDGET
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1)
    return f"{text}\n".encode()


def read_evaluation(path: str | os.PathLike) -> Evaluation:
    """Read an evaluation from its JSON file.

    Parameters
    ----------
    path : path
        ``evaluation.json`` of a folder that `evaluate` or ``--report`` wrote.

    Returns
    -------
    Evaluation
        With all figures, to compare releases by; `to_frame` has them as a table.

    Raises
    ------
    ModelFileError
        If there is no such file, it is none of an evaluation, or of another version.

    Examples
    --------
    >>> import pandas as pd
    >>> from coclust_synth.evaluation import evaluate
    >>> table = pd.DataFrame({"x": [1, 2, 3, 4] * 9, "y": [1, 1, 2, 2] * 9})
    >>> content = evaluate(table, table[:20]).to_dict()
    >>> Evaluation.from_dict(content).facts.n_released
    20
    """
    content = read_json(path, "an evaluation", "Check the path.")
    return Evaluation.from_dict(content)


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
            "No holdout: what needs rows that the release was made without is not "
            "measured (--holdout)."
        )
    for why, names in left_out_by_reason(evaluation.facts).items():
        print(one_line(f"Not compared: {', '.join(names)} ({why})."))
    for finding in evaluation.findings:
        print(one_line(f"Warning: {finding.text}"))
