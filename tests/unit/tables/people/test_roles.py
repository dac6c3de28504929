"""What each column of a table is released as."""

import pytest
from support.people import people

from coclust_synth import AnatomyReleaser, HybridKAnonymizer, infer_schema
from coclust_synth.exceptions import ParameterError


@pytest.mark.parametrize(
    ("names", "dropped"),
    [
        (dict(quasi_identifiers=["age", "sex"]), "sex"),
        (dict(quasi_identifiers=["age", "sex"]), "age"),
        (dict(quasi_identifiers=["age"], sensitive=["disease"]), "disease"),
    ],
)
def test_what_is_dropped_is_no_quasi_identifier_and_not_sensitive(names, dropped):
    table = people()
    schema = infer_schema(table).drop(dropped)
    match = rf"not dropped\. Received '{dropped}'"
    with pytest.raises(ParameterError, match=match):
        HybridKAnonymizer(5, **names).fit(table, schema)


def test_anatomy_releases_nothing_that_is_dropped():
    table = people()
    schema = infer_schema(table).drop("disease")
    with pytest.raises(ParameterError, match=r"not dropped\. Received 'disease'"):
        AnatomyReleaser(2, sensitive=["disease"]).fit(table, schema)
