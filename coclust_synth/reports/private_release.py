"""What goes with a differentially private table: its manifest.

The page to sign is made of it (`coclust_synth.reports.private_statement`). Neither
tells anything of the real table but what its generator released: no number of real
rows, no seed, no figure that was compared with real rows.
"""

import hashlib
import json
import math
from decimal import ROUND_CEILING, Context

from coclust_synth.generators.release_plan import noise_released
from coclust_synth.reports.manifest import release_date, software
from coclust_synth.tables.domain.domain import FROM_DATA
from coclust_synth.validation import check_choice, check_number

UNIT = {
    "add-remove": "one person present or absent (unbounded differential privacy)",
    "replace": "one person's answers (bounded differential privacy); the number of "
    "persons is public",
}
_STAGES = (
    "reading: each cell on its own, by the declared domain",
    "the queries that the budget lists, each answered with noise",
)
_CHOICE_OF_ROWS = "the choice of a limited number of rows of each person"
_ROWS_USED = (
    "of each person at most {}, drawn at random; counts and shares are of these rows, "
    "so that persons of many rows weigh less"
)
_OUTSIDE = (
    "the domain of each column, which must come from documentation",
    "the choice of epsilon, of the columns and of the generator",
    "refusals before any noise is drawn, which whoever holds the table sees: a file "
    "that cannot be read, a cell that the domain does not cover, a row that names no "
    "person; and how long the run took",
    "any figure that compares the release with the real table",
    "releases under other names about the same people: their epsilons add up, and "
    "whoever releases must add them",
)

#: Where no column names the persons.
_ROWS_OF_A_PERSON = "the assumption that a person has no more rows than said"

_NOISY_ROWS, _OTHER_ROWS = (
    "as many as the noisy counts say",
    "as many as were asked for",
)
_ROWS_ASKED = "the number of synthetic rows, which was asked for"

_RECODED = (
    "the recoding, which is declared like the domain and applied to each cell on its "
    "own, so that it spends nothing"
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
        "neighbouring_relation": UNIT[ledger.neighbours],
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
        return f"{exact(ledger.epsilon)}-differential privacy (pure: delta is 0)"
    return (
        f"({exact(ledger.epsilon)}, {exact(ledger.delta)})-differential privacy, by "
        f"{rounded_up(ledger.rho, 6):.6g}-zero-concentrated differential privacy"
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
            check_choice("neighbours", release["neighbours"], UNIT)
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
    relation = relation_of_all(releases)
    costs = [
        (release["epsilon"], release["delta"])
        if release["neighbours"] == relation
        else of_two_steps(release["epsilon"], release["delta"])
        for release in releases
    ]
    return tuple(map(math.fsum, zip(*costs, strict=True)))


def of_two_steps(epsilon, delta):
    """What is promised between tables that differ by two changes."""
    # Where exp(epsilon) is that large, a delta of 1: nothing.
    return 2 * epsilon, min((1 + math.exp(min(epsilon, 100))) * delta, 1.0)


def relation_of_all(releases):
    """The neighbouring relation that holds for all of some releases."""
    relations = {release["neighbours"] for release in releases}
    return "replace" if "replace" in relations else "add-remove"


def manifest_text(manifest):
    """A manifest as the text of its file."""
    return json.dumps(manifest, ensure_ascii=False, indent=1, default=str) + "\n"


def exact(number):
    """A number with all its digits: a bound that is rounded is another bound."""
    return repr(float(number)).removesuffix(".0")


def rounded_up(number, n_digits=4):
    """A number of so many digits, no less than one above 0."""
    context = Context(prec=n_digits, rounding=ROUND_CEILING)
    return float(context.create_decimal(repr(float(number))))
