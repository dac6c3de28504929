"""Where commands run."""

import pytest


@pytest.fixture
def folder(request, tmp_path, monkeypatch):
    """The current directory, with a table in it: `people` of the file of the test."""
    monkeypatch.chdir(tmp_path)
    request.module.people().to_csv("people.csv", index=False)
    return tmp_path
