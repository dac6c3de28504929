"""The statement of a differentially private table: one page to sign, and its warnings.

All of it is made from the manifest (`coclust_synth.reports.private_release`).
"""

import math
import re

from coclust_synth.reports.console import one_line
from coclust_synth.reports.private_release import (
    UNIT,
    exact,
    mostly_noise,
    of_two_steps,
    relation_of_all,
    rounded_up,
    told_releases,
)
from coclust_synth.tables.domain.domain import FROM_DATA
from coclust_synth.tables.showing import counted

_ODDS = {
    "add-remove": "of the presence of one person by a factor of at most {0}, and "
    "those of one answer of theirs against another by at most {1}",
    "replace": "of one answer of a person against another by a factor of at most {0}",
}
# What is markup, of an underscore one beside a word.
_MARKUP = re.compile(r"[\\`*<&|~\[\]]|(?<!\w)_|_(?!\w)")
# Odds of one in a thousand may become 22 to one.
_MOST_THAT_PROTECTS = 10
_WEAK = (
    "An epsilon this large bounds next to nothing: somebody in doubt may become "
    "certain. Choose a smaller one for a release that is meant to protect."
)
_NOTHING_PROMISED = (
    "Nothing is promised to any person: the domain reveals which values there are, "
    "whatever the noise. This page and the table are for tests only."
)


def private_statement(manifest):
    """One readable page of a manifest, in Markdown, with a block to sign."""
    budget, release = manifest["budget"], manifest["release"]
    unit = "rho" if "rho" in budget else "epsilon"
    lines = [
        f"# {_in_markdown(release['file'])}: statement of privacy",
        "",
        f"**{manifest['statement'][:1].upper()}{manifest['statement'][1:]}.**",
        "",
        f"- Unit of privacy: {manifest['unit']}.",
        f"- Neighbouring tables differ by {manifest['neighbouring_relation']}.",
        *([f"- Rows used: {used}."] if (used := manifest.get("rows_used")) else []),
        f"- Spent: {unit} {budget['spent']:.6g} of {budget[unit]:.6g}, added up "
        "over the queries of the data below (sequential composition).",
        *_conversion(budget),
        *_unspent_delta(manifest),
        *_shared_noise(budget),
        f"- Noise: {budget['noise']}.",
        f"- Generator: {_generator(manifest)}, "
        f"coclust_synth {manifest['software']['coclust_synth']}.",
        f"- {counted(release['rows'], 'synthetic row')} of "
        f"{counted(len(release['columns']), 'column')}, {release['rows_are']}; "
        f"sha256 {release['sha256']}.",
        *_conditions(release),
        *([f"- {noise}"] if (noise := mostly_noise(manifest)) else []),
        *earlier_lines(manifest),
        "",
        "| query of the data | law of the noise | sensitivity | scale of the noise | "
        f"{unit} | values |",
        "|---|---|---|---|---|---|",
        *(
            f"| {_in_markdown(entry['what'])} | {entry['mechanism']} "
            f"| {entry['sensitivity']} | {entry['scale']:.6g} | {entry[unit]:.6g} "
            f"| {entry['n_values']:,} |"
            for entry in budget["entries"]
        ),
        "",
        promise(manifest),
        "",
        "Outside the budget, and not protected by it:",
        "",
        *(f"- {what}" for what in manifest["outside_the_budget"]),
        "",
        "| | |",
        "|---|---|",
        "| Source and population | |",
        "| Other releases about the same people | |",
        "| Recipients | |",
        "| To be reassessed on | |",
        "| Controller, date, signature | |",
        "",
    ]
    return "\n".join(lines)


def _generator(manifest):
    """The generator, and the variant of it where there are some."""
    generator = manifest["generator"]
    variant = generator["parameters"].get("variant")
    return generator["name"] + (f", variant {variant}" if variant else "")


def _unspent_delta(manifest):
    """That a delta was declared and none is spent, where it is so."""
    delta = manifest["generator"]["parameters"].get("delta")
    if delta and not manifest["budget"]["delta"]:
        yield (
            f"- A delta of {exact(delta)} was allowed, and none is spent: epsilon "
            "alone needs less noise here."
        )


def _shared_noise(budget):
    """A line on counts that were made finer, where there are some."""
    if not any(entry["mechanism"].endswith(", finer") for entry in budget["entries"]):
        return []
    return [
        "- Finer counts have less noise than the counts that they follow. The two are "
        "given out as one query, whose cost is that of both entries (gradual release)."
    ]


def _in_markdown(text):
    """A text as it stands, in a line or in a cell of a table in Markdown."""
    return _MARKUP.sub(r"\\\g<0>", one_line(text))


def _as_code(text):
    """A text in a line of Markdown, between marks that it does not hold itself."""
    text, mark = one_line(text), "`"
    while mark in text:
        mark += "`"
    return f"{mark}{text}{mark}" if mark == "`" else f"{mark} {text} {mark}"


def _conversion(budget):
    """What rho means in epsilon and delta, where it is what was spent."""
    if "rho" in budget:
        yield (
            f"- A rho of {exact(budget['rho'])} is epsilon "
            f"{exact(budget['epsilon'])} with delta {exact(budget['delta'])} "
            "(Canonne, Kamath, Steinke, 2020, proposition 12)."
        )


def _conditions(release):
    """What rows were asked to meet."""
    if "conditions" in release:
        asked = ", ".join(release["conditions"].values())
        yield (
            f"- Only rows that meet {_as_code(asked)} are released. The condition is "
            "declared, and rows are drawn from the noisy model under it, at no cost."
        )


def earlier_lines(manifest):
    """What was released under this name before, and what all of it costs."""
    earlier = manifest["earlier_releases"]
    if not earlier:
        return
    yield "- Released under this name before, and not taken back by this release:"
    for release in earlier:
        yield (
            f"  - {_in_markdown(release['file'])}, epsilon {exact(release['epsilon'])}"
            f"{_and_delta(release['delta'])}, {release['statement']}; "
            f"sha256 {release['sha256']}."
        )
    total, delta = manifest["epsilon_total"], manifest["delta_total"]
    if total is None:
        yield "- Together they promise nothing: the domain of one of them was read "
        "from the data."
    else:
        yield (
            "- Together with this one they spend epsilon "
            f"{rounded_up(total, 6):.6g}"
            f"{_and_delta(delta)}: neighbouring tables differ by "
            f"{UNIT[relation_of_all(told_releases(manifest))]}."
        )


def private_warnings(manifest):
    """What of a private release whoever releases it must not overlook.

    Parameters
    ----------
    manifest : dict
        Of `private_manifest`.

    Returns
    -------
    tuple of str
    """
    noise = mostly_noise(manifest)
    warnings = (noise,) if noise else ()
    if manifest["statement"] == FROM_DATA:
        return (_NOTHING_PROMISED, *warnings)
    is_weak = manifest["budget"]["epsilon"] > _MOST_THAT_PROTECTS
    return (_WEAK, *warnings) if is_weak else warnings


def promise(manifest):
    """What the release can teach of one person."""
    if manifest["statement"] == FROM_DATA:
        return _NOTHING_PROMISED
    budget, total = manifest["budget"], manifest["epsilon_total"]
    odds = _odds(budget["neighbours"], budget["epsilon"], budget["delta"])
    together = ""
    if manifest["earlier_releases"] and total is not None:
        relation = relation_of_all(told_releases(manifest))
        odds_of_all = _odds(relation, total, manifest["delta_total"])
        together = f" All releases named above together change the odds {odds_of_all}."
    weak = ""
    if budget["epsilon"] > _MOST_THAT_PROTECTS:
        weak = f" {_WEAK}"
    return (
        "For somebody who knows everything about all other people, and has any means, "
        f"this release changes the odds {odds}.{together}{weak} It does not hide what "
        "is true of people at large, and what follows from it about a person."
    )


def _odds(relation, epsilon, delta):
    odds = _ODDS[relation].format(_factor(epsilon), _factor(2 * epsilon))
    if not delta:
        return odds
    if relation == "replace":
        return f"{odds}, except with a probability of at most {exact(delta)}"
    _, of_answers = of_two_steps(epsilon, delta)
    bounds = f"{exact(delta)} and {rounded_up(of_answers):.4g}"
    return f"{odds}, except with probabilities of at most {bounds}"


def _factor(epsilon):
    """A factor of the odds, as a number too where it says something.

    Of four digits, and rounded up: what is below the factor bounds nothing.
    """
    if epsilon > _MOST_THAT_PROTECTS:
        return f"exp({exact(epsilon)})"
    return f"exp({exact(epsilon)}) < {rounded_up(math.exp(epsilon)):,.6g}"


def _and_delta(delta):
    return f" and delta {rounded_up(delta, 6):.6g}" if delta else ""
