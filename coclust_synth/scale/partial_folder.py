"""A folder that is filled file by file, over several runs if need be, and calls of a
function by the workers of Spark, who may fill it.

What is not whole lies beside the folder, under a name of its own that only its owner
can read: files, and a plan that says what they are to be. A run with the same plan goes
on where the last one stopped, be it by a kill; one with another plan begins anew. When
all is there the folder takes its name at once, and what had the name before is gone.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from coclust_synth.exceptions import OutputError
from coclust_synth.tables.files import (
    default_mode,
    not_written,
    sync_folder,
    temporary_beside,
    write_files,
    write_new,
)

_PLAN, _TABLE, _OLD = "plan.json", "table", "replaced"
_OWNER_ONLY = 0o700


class PartialFolder:
    """Files that are to become a folder.

    Parameters
    ----------
    final : path
        The folder; checked by `check_folder`.
    plan : mapping
        JSON compatible: all that the bytes of the files depend on.

    Attributes
    ----------
    table : Path
        Where the files of the folder are until then.
    """

    def __init__(self, final: str | os.PathLike[str], plan: Mapping[str, Any]) -> None:
        self.final = Path(final).absolute()
        self._own = self.final.with_name(f".coclust_synth-{self.final.name}.partial")
        self.table = self._own / _TABLE
        text = json.dumps(plan, sort_keys=True, allow_nan=False).encode()
        with _written_to(self.final):
            if not self._has_plan(text):
                shutil.rmtree(self._own, ignore_errors=True)
                self.table.mkdir(mode=_OWNER_ONLY, parents=True)
                self._own.chmod(_OWNER_ONLY)
                # The plan is last: without it nothing here is gone on with.
                write_files({self._own / _PLAN: text})

    def private(self, name: str) -> Path:
        """A file beside those of the folder, which is removed in the end."""
        return self._own / name

    def write(self, name: str, content: Callable[[], bytes]) -> None:
        """Write a file of the folder whole, unless it is there.

        Parameters
        ----------
        name : str
        content : callable
            Makes its bytes, if they are needed.
        """
        write_part(self.table / name, content)

    def finish(self) -> None:
        """Give the folder its name.

        Raises
        ------
        OutputError
            If that cannot be done; another run can try it again.
        """
        with _written_to(self.final):
            sync_folder(self.table)
            mode = default_mode(0o777)
            if self.final.exists():
                mode = self.final.stat().st_mode & 0o777
                shutil.rmtree(self._own / _OLD, ignore_errors=True)
                self.final.rename(self._own / _OLD)
            self.table.rename(self.final)
            self.final.chmod(mode)
            sync_folder(self.final.parent)
        shutil.rmtree(self._own, ignore_errors=True)

    def discard(self) -> None:
        """Leave nothing of it, whatever is there."""
        shutil.rmtree(self._own, ignore_errors=True)

    def _has_plan(self, text):
        try:
            return (self._own / _PLAN).read_bytes() == text and self.table.is_dir()
        except OSError:
            return False


def write_part(path: Path, content: Callable[[], bytes]) -> None:
    """Write a file whole, unless it is there; for workers too."""
    if path.exists():
        return
    temporary = temporary_beside(path)
    try:
        # A later run goes on with what is there: it has to outlive a crash.
        write_new(temporary, content())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def _written_to(path):
    try:
        yield
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(not_written(error, path)) from error


def run_on_spark(
    function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]
) -> Iterator[None]:
    """Call a function with each of some arguments, as many at a time as cores are.

    Parameters
    ----------
    function : callable
        Of this package, which the workers must have; what it gives is not kept. Files
        that it reads and writes must be seen by all machines under one path.
    arguments : sequence of tuple
        They must pickle.

    Yields
    ------
    None
        For each call that is done.
    """
    from pyspark.sql import SparkSession

    session = SparkSession.active()
    n_cores = session.sparkContext.defaultParallelism
    for start in range(0, len(arguments), n_cores):
        some = arguments[start : start + n_cores]

        def called(batches, some=some):
            for batch in batches:
                for i in batch.column(0).to_pylist():
                    function(*some[i])
                yield batch

        rows = session.range(len(some), numPartitions=len(some))
        for _ in rows.mapInArrow(called, "id long").collect():
            yield
