"""The folder of a run: rows as they come, and how a run that was cut short goes on."""

import csv
import json

import pandas as pd

from experiments.tasks import OK, STATUSES, Done

#: Columns that all rows have, beside those of the experiment.
COMMON = ("status", "error")


class Results:
    """The rows of a run, in a file that each task's are added to as they are known.

    ``rows.csv`` has a column ``task``, the place of the task in the run: when the run
    is whole its rows are in that order. What a run before this one has found is kept.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    columns : sequence of str
        Of the experiment's rows.
    n_tasks : int
    retry : bool, default=False
        Whether tasks with rows of another status than ``ok`` are to be done again.
    """

    def __init__(self, folder, columns, n_tasks, *, retry=False):
        self.folder = folder
        self._columns = ("task", *columns, *COMMON)
        self._n_tasks = n_tasks
        self._path = folder / "rows.csv"
        folder.mkdir(parents=True, exist_ok=True)
        self._rows, self._took = self._kept(retry)
        self._write_all()

    @property
    def left(self):
        """Places of the tasks that are still to do."""
        return [i for i in range(self._n_tasks) if i not in self._rows]

    @property
    def cpu_seconds(self):
        """What all tasks took, those of runs before too."""
        return self._took["cpu_seconds"]

    @property
    def counts(self):
        """How many rows there are of each status."""
        statuses = [row["status"] for rows in self._rows.values() for row in rows]
        return {status: statuses.count(status) for status in STATUSES}

    def done(self, place):
        """What a task gave, at no cost to who uses it again."""
        rows = [dict(row) for row in self._rows[place]]
        for row in rows:
            del row["task"]
        return Done(rows, 0.0, 0.0)

    def add(self, place, done):
        """Write the rows of a task, and what it took."""
        rows = [{"task": place, **row} for row in done.rows]
        self._rows[place] = rows
        for name in ("seconds", "cpu_seconds"):
            self._took[name] = round(self._took[name] + getattr(done, name), 1)
        with self._path.open("a", encoding="utf-8", newline="") as file:
            self._writer(file).writerows(rows)
        self.write_environment({})

    def add_fit(self, cpu_seconds):
        """Count what a co-clustering took that the tasks share."""
        self._took["cpu_seconds"] = round(self._took["cpu_seconds"] + cpu_seconds, 1)

    def finish(self):
        """Put the rows in order, and count them."""
        self._write_all()
        n_rows = sum(map(len, self._rows.values()))
        self.write_environment({"n_rows": n_rows, **self.counts})

    def write_environment(self, known):
        """Add to ``environment.json`` what ran, and what it has taken."""
        path = self.folder / "environment.json"
        before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        text = json.dumps(before | known | self._took, ensure_ascii=False, indent=1)
        path.write_text(text + "\n", encoding="utf-8")

    def _kept(self, retry):
        """Rows by task and the time taken, of a run before."""
        rows, took = {}, {"seconds": 0.0, "cpu_seconds": 0.0}
        environment = self.folder / "environment.json"
        if not self._path.exists() or not environment.exists():
            return rows, took
        before = json.loads(environment.read_text(encoding="utf-8"))
        took = {name: before.get(name, 0.0) for name in took}
        frame = pd.read_csv(self._path, dtype=str, keep_default_na=False)
        for task, some in frame.groupby("task", sort=False):
            if not retry or (some["status"] == OK).all():
                rows[int(task)] = some.to_dict("records")
        return rows, took

    def _write_all(self):
        beside = self._path.with_suffix(".part")
        with beside.open("w", encoding="utf-8", newline="") as file:
            writer = self._writer(file)
            writer.writeheader()
            for place in sorted(self._rows):
                writer.writerows(self._rows[place])
        beside.replace(self._path)

    def _writer(self, file):
        return csv.DictWriter(file, self._columns, lineterminator="\n")
