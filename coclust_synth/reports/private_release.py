"""What goes with a differentially private table: a manifest, and a page to sign.

Neither tells anything of the real table but what its generator released: no number of
real rows, no seed, no figure that was compared with real rows.
"""

import hashlib
import json
import math
import re
from decimal import ROUND_CEILING, Context

from coclust_synth.generators.release_plan import noise_released
from coclust_synth.reports.console import one_line
from coclust_synth.reports.manifest import release_date, software
from coclust_synth.tables.domain.domain import FROM_DATA
from coclust_synth.tables.showing import counted
from coclust_synth.validation import check_choice, check_number

_UNIT = {
    "add-remove": "one person present or absent (unbounded differential privacy)",
    "replace": "one person's answers (bounded differential privacy); the number of "
    "persons is public",
}
_ODDS = {
    "add-remove": "of the presence of one person at most a factor of {0} in the "
    "odds, and of one answer of theirs against another at most {1}",
    "replace": "of one answer of a person against another at most a factor of {0} in "
    "the odds",
}
# What is markup, of an underscore one beside a word.
_MARKUP = re.compile(r"[\\`*<&|~\[\]]|(?<!\w)_|_(?!\w)")
# Odds of one in a thousand may become 22 to one.
_MOST_THAT_PROTECTS = 10
_WEAK = (
    "An epsilon that large bounds next to nothing: who doubts may become certain. "
    "Choose a smaller one for a release that is to protect."
)
_NOTHING_PROMISED = (
    "Nothing is promised to any person: the domain shows which values there are, "
    "whatever the noise. This page and the table are for tests."
)
_STAGES = (
    "reading: each cell on its own, by the domain that was declared",
    "the queries that the budget tells, each answered with noise",
)
_CHOICE_OF_ROWS = "the choice of at most so many rows of each person"
_ROWS_USED = (
    "of each person at most {}, drawn at random; counts and shares are of "
    "these, so that persons of many rows weigh less"
)
_OUTSIDE = (
    "the domain of each column, which must come from documentation",
    "the choice of epsilon, of the columns and of the generator",
    "refusals before any noise is drawn, which whoever holds the table sees: of a "
    "file that cannot be read, of a cell that the domain declares nothing for, of a "
    "row that names no person; and how long the run took",
    "any figure that compares the release with the real table",
    "releases under other names about the same people: their epsilons add up, and "
    "whoever releases must add them",
)

#: Where no column names the persons.
_ROWS_OF_A_PERSON = "that a person has no more rows than said"

_NOISY_ROWS, _OTHER_ROWS = "as many as noisy counts tell", "as many as were asked for"
_ROWS_ASKED = "the number of synthetic rows, which was asked for"

_RECODED = (
    "the recoding, which is declared as the domain is: each cell on its own, so that "
    "it spends nothing"
)


#: What an engine that counts the rows keeps or shows by itself.
_ENGINE = (
    "what the engine that counted the rows keeps of them: its query history and event "
    "logs, temporary tables and what it spilled to disk, caches of results, the texts "
    "of its errors, and its own statistics of the table",
    "refusals of columns or of rows that differ too much to be counted",
)


def private_manifest(
    generator,
    released,
    name,
    content,
    earlier=(),
    conditions=None,
    recoding=(),
    by_engine=False,
    by_person=False,
):
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
    earlier : sequence of dict
        Releases that this one replaces, as `told_releases` gives them: whoever kept
        them learns from all.
    conditions : dict of str to str, optional
        That the rows meet: declared, and drawn from the model at no cost.
    recoding : sequence of dict, default=()
        What was done to each cell of some columns before the domain was looked at; see
        `coclust_synth.tables.recoding`.
    by_engine : bool, default=False
        Whether an engine read the rows, which may keep something of them.
    by_person : bool, default=False
        Whether a column names the persons, of each of whom so many rows were drawn.

    Returns
    -------
    dict
        In the words of NIST SP 800-226: the unit of privacy, the neighbouring relation,
        epsilon and its split, what is outside the budget, the source of the noise; and
        the releases it replaces, with their epsilon and its sum.
    """
    ledger, domain = generator.ledger_, generator.domain_
    spent, is_noisy = ledger.to_dict(), len(released) == generator.n_rows_
    parameters = {
        name: value
        for name, value in generator.get_params(deep=False).items()
        if name != "domain"
    }
    manifest = {
        "statement": FROM_DATA if domain.from_data else _statement(ledger),
        "unit": f"one person, of at most {ledger.shown_rows}",
        "neighbouring_relation": _UNIT[ledger.neighbours],
        "budget": spent,
        **({"rows_used": _ROWS_USED.format(ledger.shown_rows)} if by_person else {}),
        "stages_that_saw_real_rows": [
            _STAGES[0],
            *([_CHOICE_OF_ROWS] if by_person else []),
            *_STAGES[1:],
        ],
        "outside_the_budget": _outside(by_person, recoding, is_noisy, by_engine),
        **({"recoding": list(recoding)} if recoding else {}),
        "domain": domain.to_dict(),
        "generator": {"name": type(generator).__name__, "parameters": parameters},
        "release": {
            "file": name,
            "sha256": hashlib.sha256(content).hexdigest(),
            "rows": len(released),
            "rows_are": _NOISY_ROWS if is_noisy else _OTHER_ROWS,
            "columns": list(released.columns),
            **({"conditions": conditions} if conditions else {}),
        },
        "software": software(),
        "date": release_date(),
        "earlier_releases": list(earlier),
        **_noise(generator),
    }
    epsilon, delta = _total(told_releases(manifest))
    return manifest | {"epsilon_total": epsilon, "delta_total": delta}


def _outside(by_person, recoding, is_noisy, by_engine):
    """What the budget does not cover, by what was done."""
    return [
        *_OUTSIDE,
        *([] if by_person else [_ROWS_OF_A_PERSON]),
        *([_RECODED] if recoding else []),
        *([] if is_noisy else [_ROWS_ASKED]),
        *(_ENGINE if by_engine else ()),
    ]


def _noise(generator):
    """Whether noise is most of what is released, and below how many rows it would be.

    By the noisy number of rows and the domain: nothing is asked of the data.
    """
    below = generator.rows_of_noise()
    if below is None:
        return {}
    return {
        "expected_noise": {
            "is_mostly_noise": generator.n_rows_ < below,
            "mostly_noise_below_rows": below,
        }
    }


def mostly_noise(manifest):
    """What is to be said of a release that is mostly noise; None of another.

    Parameters
    ----------
    manifest : dict
        Of `private_manifest`.

    Returns
    -------
    str or None
    """
    noise = manifest.get("expected_noise", {})
    if not noise.get("is_mostly_noise"):
        return None
    below, columns = noise["mostly_noise_below_rows"], manifest["release"]["columns"]
    return noise_released(below, len(columns))


def _statement(ledger):
    """The guarantee, in a line."""
    if ledger.rho is None:
        return f"{_exact(ledger.epsilon)}-differential privacy (pure: delta is 0)"
    return (
        f"({_exact(ledger.epsilon)}, {_exact(ledger.delta)})-differential privacy, by "
        f"{_rounded_up(ledger.rho, 6):.6g}-zero-concentrated differential privacy"
    )


def told_releases(manifest):
    """The releases that a manifest tells of: those before its own, and its own.

    Parameters
    ----------
    manifest : dict

    Returns
    -------
    list of dict
        With the ``file``, ``sha256``, ``statement``, ``neighbours``, ``epsilon`` and
        ``delta`` of each.

    Raises
    ------
    ValueError
        If it is no manifest.
    """
    try:
        budget, release = manifest["budget"], manifest["release"]
        own = {
            "file": release["file"],
            "sha256": release["sha256"],
            "statement": manifest["statement"],
            "neighbours": budget["neighbours"],
            "epsilon": budget["epsilon"],
            "delta": budget.get("delta", 0.0),
        }
        told = [*manifest.get("earlier_releases", ()), own]
        told = [
            {field: ({"delta": 0.0} | release)[field] for field in own}
            for release in told
        ]
        for release in told:
            check_number("epsilon", release["epsilon"], above=0)
            check_number("delta", release["delta"], minimum=0, maximum=1)
            check_choice("neighbours", release["neighbours"], _UNIT)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no manifest: {error!r}") from None
    return told


def _total(releases):
    """Epsilon and delta of releases together, None if one of them promises nothing.

    Both add up (basic composition). Where one of them replaces a person, all are
    counted so: a person replaced is one removed and one added, which costs the others
    twice their epsilon.
    """
    if any(release["statement"] == FROM_DATA for release in releases):
        return None, None
    relation = _relation(releases)
    costs = [
        (release["epsilon"], release["delta"])
        if release["neighbours"] == relation
        else _of_two_steps(release["epsilon"], release["delta"])
        for release in releases
    ]
    return tuple(map(math.fsum, zip(*costs, strict=True)))


def _of_two_steps(epsilon, delta):
    """What is promised between tables that differ by two changes."""
    # Where exp(epsilon) is that large, a delta of 1: nothing.
    return 2 * epsilon, min((1 + math.exp(min(epsilon, 100))) * delta, 1.0)


def _relation(releases):
    """The neighbouring relation that holds for all of some releases."""
    relations = {release["neighbours"] for release in releases}
    return "replace" if "replace" in relations else "add-remove"


def manifest_text(manifest):
    """A manifest as the text of its file."""
    return json.dumps(manifest, ensure_ascii=False, indent=1, default=str) + "\n"


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
            f"- A delta of {_exact(delta)} was allowed, and none is spent: the noise "
            "of epsilon alone is less here."
        )


def _shared_noise(budget):
    """A line on counts that were made finer, where there are some."""
    if not any(entry["mechanism"].endswith(", finer") for entry in budget["entries"]):
        return []
    return [
        "- Finer counts are less of the noise of the counts that they follow: the two "
        "are given out as one query, of what both cost (gradual release)."
    ]


def _exact(number):
    """A number with all its digits: a bound that is rounded is another bound."""
    return repr(float(number)).removesuffix(".0")


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
            f"- A rho of {_exact(budget['rho'])} is epsilon "
            f"{_exact(budget['epsilon'])} with delta {_exact(budget['delta'])} "
            "(Canonne, Kamath, Steinke, 2020, proposition 12)."
        )


def _conditions(release):
    """What rows were asked to meet."""
    if "conditions" in release:
        asked = ", ".join(release["conditions"].values())
        yield (
            f"- Only rows that meet {_as_code(asked)}: declared, drawn from the noisy "
            "model under it, which costs nothing."
        )


def earlier_lines(manifest):
    """What was released under this name before, and what all of it costs."""
    earlier = manifest["earlier_releases"]
    if not earlier:
        return
    yield "- Released under this name before, and not taken back by this release:"
    for release in earlier:
        yield (
            f"  - {_in_markdown(release['file'])}, epsilon {_exact(release['epsilon'])}"
            f"{_and_delta(release['delta'])}, {release['statement']}; "
            f"sha256 {release['sha256']}."
        )
    total, delta = manifest["epsilon_total"], manifest["delta_total"]
    if total is None:
        yield "- Together they promise nothing: one of them is of a domain of the data."
    else:
        yield (
            "- Together with this one they spend epsilon "
            f"{_rounded_up(total, 6):.6g}"
            f"{_and_delta(delta)}: neighbouring tables differ by "
            f"{_UNIT[_relation(told_releases(manifest))]}."
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
        relation = _relation(told_releases(manifest))
        odds_of_all = _odds(relation, total, manifest["delta_total"])
        together = f" From all releases named above together: {odds_of_all}."
    weak = ""
    if budget["epsilon"] > _MOST_THAT_PROTECTS:
        weak = f" {_WEAK}"
    return (
        "Whoever knows everything about all other people, and has any means, learns "
        f"from this release {odds}.{together}{weak} It does not hide what is true of "
        "people at large, and what follows from it about a person."
    )


def _odds(relation, epsilon, delta):
    odds = _ODDS[relation].format(_factor(epsilon), _factor(2 * epsilon))
    if not delta:
        return odds
    if relation == "replace":
        return f"{odds}, but with a probability of at most {_exact(delta)}"
    _, of_answers = _of_two_steps(epsilon, delta)
    bounds = f"{_exact(delta)} and {_rounded_up(of_answers):.4g}"
    return f"{odds}, but with probabilities of at most {bounds}"


def _factor(epsilon):
    """A factor of the odds, as a number too where it says something.

    Of four digits, and rounded up: what is below the factor bounds nothing.
    """
    if epsilon > _MOST_THAT_PROTECTS:
        return f"exp({_exact(epsilon)})"
    return f"exp({_exact(epsilon)}) < {_rounded_up(math.exp(epsilon)):,.6g}"


def _rounded_up(number, n_digits=4):
    """A number of so many digits, no less than one above 0."""
    context = Context(prec=n_digits, rounding=ROUND_CEILING)
    return float(context.create_decimal(repr(float(number))))


def _and_delta(delta):
    return f" and delta {_rounded_up(delta, 6):.6g}" if delta else ""
