import io
import json
import os
import struct
import zipfile
from itertools import chain

import numpy as np
import pytest

from coclust_synth.exceptions import ModelFileError, OutputError, ParameterError
from coclust_synth.generators.plain.model import FORMAT, FORMAT_VERSION, PlainModel
from coclust_synth.modl.grid.dendrogram import Dendrogram
from coclust_synth.tables.column import Column
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.parts import CategoryParts
from coclust_synth.tables.schema import Schema

# The grid of Iris in table 3.3 of the thesis: parts, flowers who have them, cluster.
PARTS = {
    "SL": [("]4.299,5.4]", 52, 1), ("]5.4,6.3]", 56, 5), ("]6.3,7.9]", 42, 3)],
    "SW": [("]1.999,2.9]", 57, 5), ("]2.9,3.2]", 51, 6), ("]3.2,4.4]", 42, 1)],
    "PL": [("]0.999,2.633]", 50, 0), ("]2.633,4.9]", 54, 4), ("]4.9,6.9]", 46, 2)],
    "PW": [("]0.099,0.867]", 50, 0), ("]0.867,1.6]", 52, 4), ("]1.6,2.5]", 48, 2)],
    "Class": [("setosa", 50, 0), ("versicolor", 50, 4), ("virginica", 50, 2)],
}
CELLS = [
    [150, 77, 0, 0, 0, 7, 16],
    [0, 9, 142, 32, 11, 39, 22],
    [0, 8, 2, 10, 145, 67, 13],
]
C1U, C2U, C3U = range(3)


def iris(cluster_parts=None):
    columns, parts = [], []
    for name, of_name in PARTS.items():
        texts = tuple(text for text, _, _ in of_name)
        columns.append(
            Column(name=name, kind="categorical", dtype="str", categories=texts)
        )
        parts.append(CategoryParts(texts, (0, 1, 2), False))
    _, counts, clusters = zip(*chain(*PARTS.values()), strict=True)
    clusters = np.array(clusters)
    # The first five merges are those of the thesis's 2 x 3 grid.
    merges = [(0, 1, 2), (1, 0, 1), (1, 2, 3), (1, 4, 5), (1, 4, 6)]
    merges += [(1, 0, 2), (1, 0, 4), (0, 0, 1)]
    dendrogram = Dendrogram(
        np.array(CELLS),
        np.array([50, 51, 49]),
        np.bincount(clusters),
        np.array(merges),
        np.linspace(5650.0, 5960.0, 9),
        5650.0,
    )
    return PlainModel(
        TableCoding(Schema(tuple(columns)), tuple(parts)),
        dendrogram,
        clusters,
        np.array(counts),
        cluster_parts,
    )


def by_cluster(seed=0):
    """How often each part occurs in each cluster: numbers made up."""
    rng = np.random.default_rng(seed)
    return np.column_stack(
        [rng.multinomial(n, [0.2, 0.3, 0.5], 5).ravel() for n in (50, 51, 49)]
    ).T


def of(probabilities, cluster, name):
    start = 3 * list(PARTS).index(name)
    return probabilities[cluster, start : start + 3]


# Probabilities


def test_class_of_the_third_cluster_of_iris():
    probabilities = iris().part_probabilities(marginals="grid")
    setosa, versicolor, virginica = of(probabilities, C3U, "Class")
    assert setosa == 0.0
    assert round(virginica, 6) == 0.014723
    assert round(versicolor, 6) == 0.985277


def test_class_of_the_third_cluster_of_iris_unnormalised():
    # (3.7): n_v / N_g x N_C,g / N_C, the figures of the thesis.
    versicolor, virginica = 50 / 156 * 145 / 245, 50 / 144 * 2 / 245
    assert f"{virginica:.8f} {versicolor:.8f}" == "0.00283447 0.18969126"
    probability = virginica / (virginica + versicolor)
    ours = iris().part_probabilities(marginals="grid")
    assert of(ours, C3U, "Class")[2] == pytest.approx(probability, rel=1e-14)


@pytest.mark.parametrize(
    "cluster, name, expected",
    [
        (C3U, "SL", [0.0929, 0.6971, 0.2100]),
        (C3U, "SW", [0.6710, 0.2581, 0.0710]),
        (C3U, "PL", [0, 0.9874, 0.0126]),
        (C3U, "PW", [0, 0.9864, 0.0136]),
        (C1U, "Class", [1, 0, 0]),
        (C2U, "Class", [0, 0.0667, 0.9333]),
    ],
)
def test_other_variables_of_iris(cluster, name, expected):
    probabilities = iris().part_probabilities(marginals="grid")
    np.testing.assert_allclose(
        of(probabilities, cluster, name), expected, atol=0.5001e-4
    )


@pytest.mark.parametrize("marginals", ["grid", "cluster"])
@pytest.mark.parametrize("k", [1, 50, 51, 150])
def test_probabilities_sum_to_1(marginals, k):
    model = iris(by_cluster()).coarsened(k)
    probabilities = model.part_probabilities(marginals=marginals)
    assert (probabilities >= 0).all()
    sums = probabilities.reshape(len(probabilities), 5, 3).sum(axis=2)
    np.testing.assert_allclose(sums, 1.0, rtol=1e-14)


def test_probabilities_by_cluster_are_its_frequencies():
    counts = by_cluster()
    probabilities = iris(counts).part_probabilities(marginals="cluster")
    np.testing.assert_allclose(probabilities, counts / np.array([[50], [51], [49]]))


def test_probabilities_by_cluster_need_them():
    with pytest.raises(ParameterError, match='Fit it again with marginals="cluster"'):
        iris().part_probabilities(marginals="cluster")


def test_one_cluster_has_the_frequencies_of_the_table():
    probabilities = iris().coarsened(150).part_probabilities(marginals="grid")
    np.testing.assert_allclose(probabilities, iris().part_counts[None, :] / 150)


# Coarser models


def test_the_simplified_grid_of_the_thesis():
    level = iris().dendrogram.level(5)
    assert level.cells.tolist() == [[227, 0, 23], [17, 186, 297]]
    assert level.row_sizes.tolist() == [50, 100]


@pytest.mark.parametrize("k, sizes", [(1, [50, 51, 49]), (49, [50, 51, 49])])
def test_a_cut_that_changes_nothing(k, sizes):
    model = iris().coarsened(k)
    assert model.dendrogram.cells.tolist() == CELLS
    assert model.dendrogram.row_sizes.tolist() == sizes


def test_a_coarser_model_holds_nothing_finer():
    counts = by_cluster()
    model = iris(counts).coarsened(50)
    assert (model.n_individuals, model.smallest_cluster) == (150, 50)
    assert model.dendrogram.cells.tolist() == [CELLS[0], np.add(*CELLS[1:]).tolist()]
    assert model.cluster_parts.tolist() == [
        counts[0].tolist(),
        (counts[1] + counts[2]).tolist(),
    ]
    assert len(model.dendrogram.merges) == 7
    whole = iris(counts).coarsened(150)
    assert whole.dendrogram.cells.tolist() == [[750]]
    assert whole.cluster_parts.tolist() == [counts.sum(axis=0).tolist()]
    assert whole.part_clusters.tolist() == [0] * 15
    np.testing.assert_array_equal(whole.part_counts, iris().part_counts)


def test_coarser_twice_is_coarser_once():
    once, twice = iris().coarsened(51), iris().coarsened(50).coarsened(51)
    np.testing.assert_array_equal(once.dendrogram.cells, twice.dendrogram.cells)
    np.testing.assert_array_equal(once.part_clusters, twice.part_clusters)
    np.testing.assert_array_equal(once.dendrogram.merges, twice.dendrogram.merges)


@pytest.mark.parametrize("k", [0, 151])
def test_a_cut_out_of_range(k):
    with pytest.raises(ParameterError, match=f"from 1 to .*150. Received {k}"):
        iris().coarsened(k)


# Files


@pytest.fixture
def path(tmp_path):
    iris().save(tmp_path / "iris.model")
    return tmp_path / "iris.model"


def members_of(path):
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def change(path, members):
    """Replace members of a model file; None removes one."""
    found = {n: c for n, c in (members_of(path) | members).items() if c is not None}
    with zipfile.ZipFile(path, "w") as file:
        for name, content in found.items():
            file.writestr(name, content)


def change_header(path, change_it):
    header = json.loads(members_of(path)["model.json"])
    change_it(header)
    change(path, {"model.json": json.dumps(header)})


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


@pytest.mark.parametrize("cluster_parts", [None, by_cluster()])
def test_a_model_comes_back(tmp_path, cluster_parts):
    model = iris(cluster_parts)
    model.save(tmp_path / "m")
    again = PlainModel.load(tmp_path / "m")
    assert again.coding.to_dict() == model.coding.to_dict()
    for name in ("cells", "row_sizes", "column_sizes", "merges", "costs"):
        ours, theirs = getattr(again.dendrogram, name), getattr(model.dendrogram, name)
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
    assert again.dendrogram.best_cost == model.dendrogram.best_cost
    for name in ("part_clusters", "part_counts", "cluster_parts"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))


def test_equal_models_give_equal_bytes(tmp_path, path):
    iris().save(tmp_path / "twice.model")
    PlainModel.load(path).save(tmp_path / "again.model")
    first = path.read_bytes()
    assert (tmp_path / "twice.model").read_bytes() == first
    assert (tmp_path / "again.model").read_bytes() == first


def test_what_a_model_file_is(path):
    header = json.loads(members_of(path)["model.json"])
    assert (header["format"], header["format_version"]) == (FORMAT, FORMAT_VERSION)
    assert header["written_by"].startswith("coclust_synth ")
    for name, content in members_of(path).items():
        if name != "model.json":
            np.load(io.BytesIO(content), allow_pickle=False)


def test_a_model_that_cannot_be_written_leaves_nothing(tmp_path, path, monkeypatch):
    before = path.read_bytes()

    def fail(*args, **kwargs):
        raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match=r"which exists\. Give --force"):
        iris().save(path)
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OutputError, match="No space left"):
        iris().save(path, force=True)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["iris.model"]


def refuses(path, match=None):
    with pytest.raises(ModelFileError, match=match) as caught:
        PlainModel.load(path)
    assert str(path.name) in str(caught.value) or "parts" in str(caught.value)
    assert caught.value.__cause__ is None or "parts" in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    refuses(tmp_path / "none.model", "no such file")
    refuses(tmp_path, "no such file")


def test_a_truncated_file(path):
    whole = path.read_bytes()
    for length in (0, 1, 30, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        refuses(path, "truncated, or of another program")


def test_a_file_with_a_bit_changed_in_a_member(path):
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 3] ^= 4
    path.write_bytes(whole)
    refuses(path)


@pytest.mark.parametrize(
    "content", [b"a,b\n1,2\n", b"\x93NUMPY\x01\x00", b"PK\x03\x04rest", b"{}"]
)
def test_a_file_of_another_program(path, content):
    path.write_bytes(content)
    refuses(path, "another program")


def test_a_zip_of_another_program(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("readme.txt", "hello")
    refuses(path, "another program")


@pytest.mark.parametrize("header", [{}, [], {"format": "coclust_synth dp model"}])
def test_a_model_of_another_kind(path, header):
    change(path, {"model.json": json.dumps(header)})
    refuses(path, "another kind")


@pytest.mark.parametrize("version", [FORMAT_VERSION + 1, FORMAT_VERSION - 1, None, "2"])
def test_another_format_version(path, version):
    """Older ones are refused too: there is none that this one reads."""

    def other(header):
        header |= {"format_version": version, "written_by": "coclust_synth 9.1"}

    change_header(path, other)
    # Members of other versions are not looked into.
    change(path, {"part_counts.npy": b"of another layout"})
    refuses(
        path,
        f"version {version}, written by coclust_synth 9.1.*Install the coclust_synth",
    )


def test_members_of_others_are_not_read(path, monkeypatch):
    named = set(members_of(path))
    change(path, {"film.npy": b"0" * 2**20, "hierarchy/notes.npy": b"", "x/": b""})
    right, seen = zipfile.ZipFile.open, set()

    def opened(file, member, *arguments, **more):
        seen.add(getattr(member, "filename", member))
        return right(file, member, *arguments, **more)

    monkeypatch.setattr(zipfile.ZipFile, "open", opened)
    monkeypatch.setenv("COCLUST_SYNTH_MAX_GIB", "0.0005")
    assert PlainModel.load(path).n_individuals == iris().n_individuals
    assert seen == named


def test_a_model_larger_than_asked_for(path, monkeypatch):
    zeros = npy(np.zeros(2**18, dtype=np.int64))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("cluster_parts.npy", zeros)
    assert path.stat().st_size < 2**16
    refuses(path, "do not fit together")
    monkeypatch.setenv("COCLUST_SYNTH_MAX_GIB", "0.001")
    refuses(path, "more than 0.001 GiB once decompressed.*COCLUST_SYNTH_MAX_GIB raises")
    monkeypatch.setenv("COCLUST_SYNTH_MAX_GIB", "lots")
    with pytest.raises(ParameterError, match=r"above 0\. Received 'lots'"):
        PlainModel.load(path)


def test_a_member_larger_than_it_says(path):
    """What it announces is the most that is read of it."""
    size = len(members_of(path)["part_counts.npy"])
    whole = path.read_bytes()
    central = whole.rindex(b"PK\x01\x02", 0, whole.rindex(b"part_counts.npy"))
    assert struct.unpack_from("<I", whole, central + 24) == (size,)
    spoilt = bytearray(whole)
    struct.pack_into("<I", spoilt, central + 24, size - 8)
    path.write_bytes(spoilt)
    refuses(path, "truncated, or of another program")


def test_members_compressed_by_other_methods(path):
    found = members_of(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as file:
        for name, content in found.items():
            file.writestr(name, content)
    refuses(path, "of another program")


@pytest.mark.parametrize(
    "members",
    [
        {"model.json": b"\xff\xfe"},
        {"model.json": b"{"},
        {"part_counts.npy": b""},
        {"part_counts.npy": b"garbage"},
        {"hierarchy/cells.npy": npy(np.arange(9))[:-8]},
        {"part_counts.npy": npy(np.array([1, None]), allow_pickle=True)},
    ],
    ids=["not utf-8", "not json", "empty", "garbage", "cut", "objects"],
)
def test_garbage_members(path, members):
    change(path, members)
    refuses(path, "truncated, or of another program")


class Evil:
    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_a_pickle_is_never_run(path, tmp_path):
    array = np.array([Evil(tmp_path / "owned")], dtype=object)
    change(path, {"part_counts.npy": npy(array, allow_pickle=True)})
    refuses(path)
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize(
    "name", ["part_counts", "part_clusters", "hierarchy/cells", "hierarchy/best_cost"]
)
def test_a_member_that_is_missing(path, name):
    change(path, {f"{name}.npy": None})
    refuses(path, name)


@pytest.mark.parametrize(
    "name, array",
    [
        ("part_counts", np.ones(14, dtype=int)),
        ("part_clusters", np.ones((15, 1), dtype=int)),
        ("hierarchy/cells", np.ones((2, 7), dtype=int)),
        ("hierarchy/row_sizes", np.ones(4, dtype=int)),
        ("hierarchy/column_sizes", np.ones(6, dtype=int)),
        ("hierarchy/merges", np.ones((7, 3), dtype=int)),
        ("hierarchy/costs", np.ones(3)),
        ("cluster_parts", np.ones((3, 14), dtype=int)),
    ],
)
def test_members_that_do_not_fit_together(path, name, array):
    change(path, {f"{name}.npy": npy(array)})
    refuses(path, "do not fit together")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda coding: coding.pop("schema"),
        lambda coding: coding.update(parts=5),
        lambda coding: coding.update(parts=[None]),
        lambda coding: coding["parts"][0].pop("seen"),
        lambda coding: coding["parts"][0].update(type="other"),
        lambda coding: coding["schema"]["column"][0].update(kind="colour"),
        lambda coding: coding["schema"]["column"][0].update(newfield=1),
    ],
)
def test_a_description_that_does_not_read(path, spoil):
    change_header(path, lambda header: spoil(header["coding"]))
    refuses(path, "description of .* parts")


def damage(path, what):
    """Damage that a disk or a prankster can do, and that read_archive lets escape."""
    whole = bytearray(path.read_bytes())
    if what == "flag of encryption":
        central = whole.index(b"PK\x01\x02")
        whole[6] |= 1
        whole[central + 8] |= 1
        path.write_bytes(whole)
    elif what == "method of compression":
        central = whole.index(b"PK\x01\x02")
        whole[8] = whole[central + 10] = 99
        path.write_bytes(whole)
    elif what == "array header":
        content = members_of(path)["part_counts.npy"]
        change(path, {"part_counts.npy": content.replace(b"}", b"(")})
    elif what == "best cost":
        change(path, {"hierarchy/best_cost.npy": npy(np.zeros(2))})
    elif what == "with_missing":

        def spoil(header):
            header["coding"]["parts"][0]["with_missing"] = None

        change_header(path, spoil)
    elif what == "deep json":
        change(path, {"model.json": b"[" * 100_000})
    elif what == "cluster out of range":
        change(path, {"part_clusters.npy": npy(np.full(15, 7))})
    elif what == "reals for counts":
        change(path, {"part_clusters.npy": npy(np.zeros(15))})
    elif what == "fewer columns than parts":
        change_header(path, lambda h: h["coding"]["schema"]["column"].pop())


@pytest.mark.parametrize(
    "what",
    [
        *("flag of encryption", "method of compression", "array header", "best cost"),
        *("with_missing", "deep json", "cluster out of range", "reals for counts"),
        "fewer columns than parts",
    ],
)
def test_other_damage(path, what):
    damage(path, what)
    refuses(path)
