"""What a private release spent, and what that promises, as a section of its page."""

from typing import Any

from coclust_synth.reports.html.rendering import Section, rendered
from coclust_synth.reports.private_release import earlier_lines, promise


def budget_section(manifest: dict[str, Any]) -> Section:
    """What was asked of the rows, with which noise, from the manifest alone.

    Parameters
    ----------
    manifest : dict
        Of `private_manifest`.
    """
    budget = manifest["budget"]
    unit = "rho" if "rho" in budget else "epsilon"
    entries = [
        {
            "what": entry["what"],
            "mechanism": entry["mechanism"],
            "n_values": f"{entry['n_values']:,}",
            "cost": f"{entry[unit]:.4g}",
            "share": f"{entry[unit] / budget[unit]:.1%}",
            "width": f"{100 * entry[unit] / budget[unit]:.1f}",
        }
        for entry in budget["entries"]
    ]
    content = rendered(
        "budget.html.j2",
        unit=unit,
        budget=budget,
        entries=entries,
        manifest=manifest,
        promise=promise(manifest),
        earlier=[line.strip(" -") for line in earlier_lines(manifest)],
    )
    return Section("budget", "What was spent, and what that promises", content)
