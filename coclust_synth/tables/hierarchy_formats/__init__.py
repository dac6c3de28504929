"""Files of generalisation hierarchies: those of other tools, and our own.

lines    of ARX and anjana; amnesia: its two; own: our JSON and TOML
files    one written in whichever format, and all of a folder read

Leaves come back as texts, except from our own JSON and from ranges; `match_column` of
`tables.hierarchies` gives them their types.
"""

from coclust_synth.tables.hierarchy_formats.amnesia import (
    has_ranges,
    read_amnesia,
    read_amnesia_json,
)
from coclust_synth.tables.hierarchy_formats.files import (
    read_hierarchies,
    write_hierarchy,
)
from coclust_synth.tables.hierarchy_formats.lines import (
    name_in_file,
    read_anjana,
    read_arx,
    read_arx_folder,
    to_anjana,
)
from coclust_synth.tables.hierarchy_formats.own import read_json, read_toml

__all__ = [
    "has_ranges",
    "name_in_file",
    "read_amnesia",
    "read_amnesia_json",
    "read_anjana",
    "read_arx",
    "read_arx_folder",
    "read_hierarchies",
    "read_json",
    "read_toml",
    "to_anjana",
    "write_hierarchy",
]
