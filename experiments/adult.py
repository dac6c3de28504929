"""UCI Adult: where a file of it is given, found, or loaded from OpenML.

The file is the train and test parts in that order, 48,842 rows with a header, ``?``
where a value is missing, the trailing dot of the test part's labels removed. Configs
say its sha256, which whatever is found or loaded must have.
"""

import os
from pathlib import Path

from coclust_synth.exceptions import TableError

#: The variable that names the file, where one is given.
ADULT = "ADULT_CSV"

_ROOT = Path(__file__).resolve().parent.parent
_PLACES = ("../shared/data/adult.csv.gz", "data/adult.csv.gz", "data/adult.csv")
_OPENML_ID = 1590


def find_adult():
    """The file: given by the variable, in a usual place, or loaded once.

    Returns
    -------
    Path

    Raises
    ------
    TableError
        If it is none of these.
    """
    given = os.environ.get(ADULT)
    if given:
        if not Path(given).is_file():
            raise TableError(
                f"Expected the CSV of UCI Adult in {given!r}, which {ADULT} names. "
                "Received no such file. Correct the variable."
            )
        return Path(given)
    places = [_ROOT / place for place in _PLACES]
    found = next((place for place in places if place.is_file()), None)
    return found or _loaded(_ROOT / "data" / "adult.csv")


def adult_csv(frame):
    """The text of the file, from the frame that OpenML has.

    Parameters
    ----------
    frame : DataFrame
        Categories as texts, missing ones as such, names with dashes.

    Returns
    -------
    str
    """
    frame = frame.rename(columns=lambda name: name.replace("-", "_")).astype(object)
    return frame.where(frame.notna(), "?").to_csv(index=False, lineterminator="\n")


def _loaded(path):
    from sklearn.datasets import fetch_openml

    try:
        frame = fetch_openml(data_id=_OPENML_ID, as_frame=True, parser="auto").frame
    except Exception as error:
        raise TableError(
            f"Expected UCI Adult in a file that {ADULT} names, in "
            f"{' or '.join(_PLACES)}, or from OpenML. Received none; OpenML: "
            f"{type(error).__name__}: {error}. Name the file, or connect."
        ) from None
    path.parent.mkdir(exist_ok=True)
    beside = path.with_suffix(".part")
    beside.write_text(adult_csv(frame), encoding="utf-8")
    return beside.replace(path)
