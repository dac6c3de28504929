"""Pictures are looked at as what they are made of, and closed."""

import pytest
from matplotlib import pyplot


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")
