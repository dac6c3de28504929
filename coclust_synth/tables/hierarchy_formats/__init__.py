"""Files of generalisation hierarchies: those of other tools, and our own.

Each module reads and writes one format: arx, anjana, amnesia and amnesia_json (blocks:
what these two share), own and own_toml; texts: files of text; folder: all hierarchies
of a folder. Leaves come back as texts, except from our own JSON and from ranges;
`match_column` of `tables.hierarchies` gives them their types.
"""

from coclust_synth.tables.hierarchy_formats.amnesia import (
    has_ranges,
    read_amnesia,
    write_amnesia,
)
from coclust_synth.tables.hierarchy_formats.amnesia_json import (
    read_amnesia_json,
    write_amnesia_json,
)
from coclust_synth.tables.hierarchy_formats.anjana import (
    read_anjana,
    to_anjana,
    write_anjana,
)
from coclust_synth.tables.hierarchy_formats.arx import (
    read_arx,
    read_arx_folder,
    write_arx,
)
from coclust_synth.tables.hierarchy_formats.folder import read_hierarchies
from coclust_synth.tables.hierarchy_formats.own import read_json, write_json
from coclust_synth.tables.hierarchy_formats.own_toml import read_toml, write_toml

__all__ = [
    "has_ranges",
    "read_amnesia",
    "read_amnesia_json",
    "read_anjana",
    "read_arx",
    "read_arx_folder",
    "read_hierarchies",
    "read_json",
    "read_toml",
    "to_anjana",
    "write_amnesia",
    "write_amnesia_json",
    "write_anjana",
    "write_arx",
    "write_json",
    "write_toml",
]
