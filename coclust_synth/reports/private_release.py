"""What goes with a differentially private table: a manifest, and a page to sign.

Neither tells anything of the real table but what its generator released: no number of
real rows, no seed, no figure that was compared with real rows.
"""

import hashlib
import json
import sys

from coclust_synth._version import __version__
from coclust_synth.tables.domain import FROM_DATA

_UNIT = {
    "add-remove": "one person present or absent (unbounded differential privacy)",
    "replace": "one person's answers (bounded differential privacy); the number of "
    "rows is public",
}
_ODDS = {
    "add-remove": "of the presence of one person at most a factor of exp({0:g}) in the "
    "odds, and of one answer of theirs against another at most exp({1:g})",
    "replace": "of one answer of a person against another at most a factor of "
    "exp({0:g}) in the odds",
}
_OUTSIDE = (
    "the domain of each column, which must come from documentation",
    "the choice of epsilon, of the columns and of the generator",
    "errors about values outside the domain, and how long the run took",
    "any figure that compares the release with the real table",
    "other releases about the same people: their epsilons add up",
)


def private_manifest(generator, released, name, content):
    """The manifest of a differentially private release, JSON compatible.

    Parameters
    ----------
    generator : DomainSynthesizer
        Fitted.
    released : DataFrame
        The synthetic rows.
    name : str
        Of the file that holds them.
    content : bytes
        What it holds.

    Returns
    -------
    dict
        In the words of NIST SP 800-226: the unit of privacy, the neighbouring relation,
        epsilon and its split, what is outside the budget, the source of the noise.
    """
    ledger, domain = generator.ledger_, generator.domain_
    spent = ledger.to_dict()
    parameters = {
        name: value
        for name, value in generator.get_params(deep=False).items()
        if name != "domain"
    }
    return {
        "statement": FROM_DATA
        if domain.from_data
        else f"{ledger.epsilon:g}-differential privacy (pure: delta is 0)",
        "unit": f"one person, of at most {ledger.rows_per_person} row(s)",
        "neighbouring_relation": _UNIT[ledger.neighbours],
        "budget": spent,
        "outside_the_budget": list(_OUTSIDE),
        "domain": domain.to_dict(),
        "generator": {"name": type(generator).__name__, "parameters": parameters},
        "release": {
            "file": name,
            "sha256": hashlib.sha256(content).hexdigest(),
            "rows": len(released),
            "columns": list(released.columns),
        },
        "software": {"coclust_synth": __version__, "python": sys.version.split()[0]},
    }


def manifest_text(manifest):
    """A manifest as the text of its file."""
    return json.dumps(manifest, ensure_ascii=False, indent=1, default=str) + "\n"


def private_statement(manifest):
    """One readable page of a manifest, in Markdown, with a block to sign."""
    budget, release = manifest["budget"], manifest["release"]
    lines = [
        f"# {release['file']}: statement of privacy",
        "",
        f"**{manifest['statement'][:1].upper()}{manifest['statement'][1:]}.**",
        "",
        f"- Unit of privacy: {manifest['unit']}.",
        f"- Neighbouring tables differ by {manifest['neighbouring_relation']}.",
        f"- Spent: epsilon {budget['spent']:.6g} of {budget['epsilon']:.6g}, added up "
        "over the looks at the data below (sequential composition).",
        f"- Noise: {budget['noise']}.",
        f"- Generator: {manifest['generator']['name']}, "
        f"coclust_synth {manifest['software']['coclust_synth']}.",
        f"- {release['rows']:,} synthetic rows of {len(release['columns'])} columns; "
        f"sha256 {release['sha256']}.",
        "",
        "| look at the data | law of the noise | sensitivity | epsilon | values |",
        "|---|---|---|---|---|",
        *(
            f"| {entry['what']} | {entry['mechanism']} | {entry['sensitivity']} "
            f"| {entry['epsilon']:.6g} | {entry['n_values']:,} |"
            for entry in budget["entries"]
        ),
        "",
        _promise(manifest),
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


def _promise(manifest):
    """What the release can teach of one person."""
    if manifest["statement"] == FROM_DATA:
        return (
            "Nothing is promised to any person: the domain shows which values there "
            "are, whatever the noise. This page and the table are for tests."
        )
    budget = manifest["budget"]
    odds = _ODDS[budget["neighbours"]].format(budget["epsilon"], 2 * budget["epsilon"])
    return (
        "Whoever knows everything about all other people, and has any means, learns "
        f"from this release {odds}. It does not hide what is true of people at large, "
        "and what follows from it about a person."
    )
