"""What commands check of their output before any work."""

from coclust_synth.exceptions import OutputError
from coclust_synth.tables.io import check_writable
from coclust_synth.validation import check_integer


def check_output(output, force, rows, *, source, is_table=True):
    """Refuse, before any work, an output that cannot be or would replace its source."""
    if rows is not None:
        check_integer("the number of rows", rows, minimum=1)
    if source is not None and output.exists() and source.exists():
        if output.samefile(source):
            raise OutputError(
                f"Expected an output beside its source. Received {str(output)!r} for "
                "both. Choose another name."
            )
    check_writable(output, force, table=is_table)
