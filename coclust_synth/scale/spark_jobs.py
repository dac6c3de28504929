"""Calls of a function by the workers of Spark."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any


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
