"""The page of a grid in a browser: what is seen, clicked, typed and saved, how fast."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from support.browser import SCHEMES, WIDTHS, faults, launched, opened
from support.viewed_grids import made_up

from coclust_synth.modl.grid.cell_measures import cell_contrast, cell_information
from coclust_synth.reports.view.names import read_names
from coclust_synth.reports.view.page import grid_page, payload, script, template_text
from coclust_synth.reports.view.sources import read_grid

pytestmark = pytest.mark.slow

KHIOPS = Path(__file__).parents[1] / "golden" / "khiops"
#: Each a way to look at the same class: of two, of three, and of variable parts.
GRIDS = {
    "small": lambda: made_up(12, 9),
    "numeric": lambda: read_grid(KHIOPS / "iris_numeric.khcj.gz"),
    "parts": lambda: read_grid(KHIOPS / "iris_missing_parts.khcj.gz"),
    "adult": lambda: made_up(340, 108),
    "large": lambda: made_up(2000, 2000),
}
VIEW = "document.querySelector('.coclust-view').view"


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def page_of(tmp_path_factory):
    """The address of the page of a grid, which is made once."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def address(name):
        if name not in made:
            made[name] = folder / f"{name}.html"
            made[name].write_text(grid_page(GRIDS[name](), {}))
        return made[name].as_uri()

    return address


@pytest.fixture
def show(browser, page_of):
    """Opens the page of a grid, once its script is done."""

    def shown(name, **options):
        return _Ready(opened(browser, page_of(name), **options))

    return shown


class _Ready:
    def __init__(self, opening):
        self.opening = opening

    def __enter__(self):
        page = self.opening.__enter__()
        page.wait_for_selector("[data-ready]")
        return page

    def __exit__(self, *raised):
        return self.opening.__exit__(*raised)


def status(page):
    return page.locator(".status").inner_text()


def frame(page):
    """Waits until what was asked for is drawn."""
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => "
        "requestAnimationFrame(done)))"
    )


def colours_in(page):
    """How many colours the picture of the cells has."""
    return page.evaluate(
        """() => {
          const canvas = document.querySelector(".stage canvas");
          const pen = canvas.getContext("2d");
          const image = pen.getImageData(0, 0, canvas.width, canvas.height);
          return new Set(new Uint32Array(image.data.buffer)).size;
        }"""
    )


# --- what is seen -----------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["small", "numeric", "parts", "adult"])
def test_the_page_fits_its_window(show, name, width, scheme):
    with show(name, width=width, scheme=scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert colours_in(page) > 2
        assert page.locator(".still").is_hidden()
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        is_dark = sum(map(int, paper[4:-1].split(","))) < 3 * 128
        assert is_dark == (scheme == "dark")


def test_the_grid_stays_in_sight_and_covers_nothing(show):
    with show("parts") as page:
        grid, more = page.locator(".figure").first, page.locator(".more")
        page.mouse.wheel(0, 300)
        for _ in range(100):
            if page.evaluate("window.scrollY > 0"):
                break
            page.wait_for_timeout(20)
        assert page.evaluate("window.scrollY > 0")
        assert grid.bounding_box()["y"] >= 0
        for closed in page.locator("details > summary").all():
            closed.click()
        more.scroll_into_view_if_needed()
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        bottom = grid.bounding_box()["y"] + grid.bounding_box()["height"]
        assert bottom <= more.bounding_box()["y"]


@pytest.mark.parametrize("width", WIDTHS)
def test_it_is_read_without_a_script(browser, page_of, width):
    address = page_of("parts")
    with opened(browser, address, width=width, java_script_enabled=False) as page:
        assert page.locator(".still img").is_visible()
        assert page.locator(".still .coarse").is_visible()
        assert page.get_by_text("More often with").first.is_visible()
        box = page.locator(".page").bounding_box()
        assert box["width"] <= width


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_no_fault(show, scheme):
    with show("numeric", scheme=scheme, bypass_csp=True) as page:
        for closed in page.locator("details > summary").all():
            closed.click()
        page.get_by_label("Text").fill("Iris")
        frame(page)
        assert faults(page) == []
        # It does find some where there are.
        page.evaluate("document.body.append(document.createElement('button'))")
        assert "button-name" in [fault for fault, *_ in faults(page)]


def test_axe_finds_no_fault_without_a_script(browser, page_of):
    with opened(browser, page_of("parts"), bypass_csp=True) as page:
        page.wait_for_selector("[data-ready]")
        page.evaluate(
            """() => {
              document.querySelector(".app").remove();
              document.querySelector(".still").hidden = false;
            }"""
        )
        assert faults(page) == []


def test_the_keyboard_reaches_everything(show):
    with show("numeric") as page:
        wanted = page.evaluate(
            """() => [...document.querySelectorAll(
              "a[href], button, input, select, summary, [tabindex='0']")]
              .filter((own) => own.checkVisibility() && (own.type !== "radio"
                || own.checked)).length"""
        )
        reached = 0
        for _ in range(wanted + 5):
            page.keyboard.press("Tab")
            reached += page.evaluate(
                """() => {
                  const own = document.activeElement;
                  if (own === document.body || own.dataset.reached) return 0;
                  own.dataset.reached = 1;
                  return 1;
                }"""
            )
        assert reached == wanted


def test_it_prints_on_white_paper(show):
    with show("small", scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == "rgb(255, 255, 255)"
        assert page.locator(".bar").is_hidden()
        assert page.locator(".stage canvas").first.is_visible()
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        page.emulate_media(media="screen", color_scheme="dark")
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper != "rgb(255, 255, 255)"


# --- levels -----------------------------------------------------------------


def table_of(page):
    """The counts that are shown, and what is told of each cell."""
    return page.evaluate(
        f"""() => {{
          const {{ table }} = {VIEW};
          const rows = (get) => Array.from({{ length: table.nRows }}, (_, i) =>
            Array.from({{ length: table.nColumns }}, (_, j) => get(i, j)));
          return {{
            counts: rows((i, j) => table.counts[i * table.nColumns + j]),
            information: rows((i, j) => table.information(i, j)),
            contrast: rows((i, j) => Math.max(table.contrast(i, j), -99)),
          }};
        }}"""
    )


def test_levels_are_those_of_the_grid(show):
    grid = GRIDS["small"]()
    with show("small") as page:
        for step in range(0, len(grid.merges) + 1, 3):
            page.evaluate(f"{VIEW}.toStep({step})")
            expected = grid.coarser(step)
            counts = expected.table(0, 1)
            told = table_of(page)
            assert told["counts"] == counts.tolist()
            assert np.allclose(told["information"], cell_information(counts))
            contrast = np.maximum(cell_contrast(counts), -99)
            assert np.allclose(told["contrast"], contrast)
            rows, columns = expected.shape
            assert f"{rows} × {columns} clusters" in status(page)
            assert f"{100 * expected.levels[0]:.1f} %" in status(page)


def test_sliders_choose_a_level(show):
    with show("small") as page:
        clusters = page.get_by_role("slider", name="Clusters")
        information = page.get_by_role("slider", name="Information kept")
        assert "12 × 9 clusters" in status(page)
        clusters.focus()
        page.keyboard.press("Home")
        frame(page)
        assert "1 × 1 clusters, 0.0 %" in status(page)
        page.keyboard.press("ArrowRight")
        frame(page)
        assert "3 clusters" not in status(page)
        assert page.evaluate(f"{VIEW}.step") == 18
        information.fill("100")
        frame(page)
        assert "12 × 9 clusters, 100.0 %" in status(page)
        # The coarsest level that keeps as much as was asked for.
        information.fill("60")
        frame(page)
        levels = GRIDS["small"]().levels
        assert page.evaluate(f"{VIEW}.step") == int(np.flatnonzero(levels >= 0.6)[-1])
        page.get_by_role("button", name="Best grid").click()
        assert "12 × 9 clusters" in status(page)
        page.get_by_label("Row clusters").fill("4")
        page.keyboard.press("Tab")
        assert "4 × 9 clusters, folded by hand" in status(page)


def test_nodes_fold_and_unfold(show):
    with show("small") as page:
        fold = page.get_by_role(
            "button", name="Fold the selected row cluster", exact=True
        )
        unfold = page.get_by_role("button", name="Unfold the selected row cluster")
        fold.focus()
        page.keyboard.press("Enter")
        assert "9 clusters, folded by hand" in status(page)
        assert "12 × 9" not in status(page)
        # The button keeps the focus: the next press folds on.
        for _ in range(20):
            page.keyboard.press("Enter")
        assert "1 × 9 clusters" in status(page)
        assert fold.get_attribute("aria-disabled") == "true"
        unfold.click()
        assert "2 × 9 clusters" in status(page)
        stage = page.get_by_role("application")
        stage.focus()
        page.keyboard.press("Shift+F")
        page.keyboard.press("u")
        assert "9 clusters" not in status(page)


def test_clicks_on_a_tree_fold_and_unfold(show):
    with show("small") as page:
        for side in (0, 1):
            page.get_by_role("button", name="Finest").click()
            joint = page.evaluate(
                f"""() => {VIEW}.picture.joints
                  .filter((own) => own.side === {side} && own.room > 20)[0]"""
            )
            point = {"x": joint["x"], "y": joint["y"]}
            page.get_by_role("application").click(position=point)
            shape = ["12", "9"]
            assert f"{shape[0]} × {shape[1]} clusters" not in status(page)
            folded = page.evaluate(
                f"{VIEW}.picture.joints.filter((own) => own.folded).map((own) => own)"
            )
            assert len(folded) == 1 and folded[0]["node"] == joint["node"]
            point = {"x": folded[0]["x"], "y": folded[0]["y"]}
            page.get_by_role("application").click(position=point)
            assert page.evaluate(
                f"!{VIEW}.content.hierarchies[{side}].folded[{joint['node']}]"
            )


@pytest.mark.parametrize("ending", ["", ", ...}"])
def test_a_long_name_is_cut_where_its_value_still_shows(show, ending):
    long = (
        f"Have you ever smoked a cigarette, though it is against the rules?=No{ending}"
    )
    with show("small") as page:
        page.evaluate(
            """() => {
              const own = CanvasRenderingContext2D.prototype, write = own.fillText;
              window.written = [];
              own.fillText = function (text, ...at) {
                window.written.push(text);
                write.call(this, text, ...at);
              };
            }"""
        )
        field = page.get_by_label("Name of the selected column cluster")
        field.fill(long)
        field.press("Enter")
        frame(page)
        cut = [text for text in page.evaluate("window.written") if "…" in text]
    assert cut and all(text.startswith("Have") and text.endswith("=No") for text in cut)


# --- selection --------------------------------------------------------------


def selected(page):
    return page.evaluate(f"{VIEW}.cell()")


def test_cells_are_selected_by_clicks_and_keys(show):
    grid = GRIDS["small"]()
    with show("small") as page:
        place = page.evaluate(
            f"""() => {{ const p = {VIEW}.picture; return {{
              x: p.grid.x + (p.xs[4] + p.xs[5]) / 2,
              y: p.grid.y + (p.ys[2] + p.ys[3]) / 2 }} }}"""
        )
        page.get_by_role("application").click(position=place)
        frame(page)
        assert selected(page) == [2, 4]
        for key in ("ArrowDown", "ArrowDown", "ArrowLeft", "ArrowUp"):
            page.keyboard.press(key)
        frame(page)
        assert selected(page) == [3, 3]
        count = grid.table(0, 1)[3, 3]
        live = page.locator("[aria-live]").inner_text()
        assert live.startswith("Row 4, {x3, x3b}; column 4, {y3, y3b}: ")
        assert f": {count} observations" in live
        label = page.get_by_role("img").get_attribute("aria-label")
        assert "12 by 9" in label and f"{count} observations" in label
        row = page.get_by_role("article", name="Selected row cluster")
        assert row.get_by_role("textbox").input_value() == "{x3, x3b}"
        held = [
            line.inner_text().split() for line in row.locator(".values tbody tr").all()
        ]
        frequencies = grid.dimensions[0].value_frequencies[3]
        assert held == [
            ["x3", f"{frequencies[0]:,}", "1.00"],
            ["x3b", f"{frequencies[1]:,}", "0.50"],
        ]
        page.keyboard.press("End")
        page.keyboard.press("PageDown")
        frame(page)
        assert selected(page) == [11, 8]


def test_what_goes_with_a_cluster_can_be_chosen(show):
    with show("small") as page:
        row = page.get_by_role("article", name="Selected row cluster")
        first = row.locator(".beside button").nth(1)
        name = first.inner_text()
        first.click()
        column = page.get_by_role("article", name="Selected column cluster")
        assert column.get_by_role("textbox").input_value() == name


def test_values_are_found(show):
    with show("small") as page:
        page.get_by_text("Find a value or a cluster").click()
        page.get_by_label("Text").fill("y7b")
        frame(page)
        assert "2 found" in page.locator("details [role=status]").first.inner_text()
        page.get_by_role("button", name="y7b", exact=True).click()
        assert selected(page)[1] == 7


def test_all_clusters_are_listed_and_sorted(show):
    dimension = GRIDS["small"]().dimensions[1]
    with show("small") as page:
        page.get_by_text("All clusters").click()
        table = page.get_by_role("table", name="Columns: y")

        def names():
            return table.locator("tbody th").all_inner_texts()

        table.locator("tbody th").last.wait_for()  # what is opened is filled later
        assert names() == list(dimension.parts)
        table.get_by_role("button", name="Obs.").click()
        frame(page)
        order = np.argsort(-dimension.frequencies, kind="stable")
        assert names() == [dimension.parts[part] for part in order]
        assert table.locator("[aria-sort]").inner_text() == "Obs."
        table.get_by_role("button", name=names()[0]).click()
        assert selected(page)[1] == order[0]


def test_the_table_says_what_the_picture_does(show):
    with show("small") as page:
        page.get_by_text("The grid as a table").click()
        frame(page)
        rows = page.locator("[aria-label='The grid as a table'] tbody tr").all()
        counts = [
            [int(cell.replace(",", "")) for cell in row.locator("td").all_inner_texts()]
            for row in rows
        ]
        assert counts == GRIDS["small"]().table(0, 1).tolist()


def test_colours_follow_what_is_asked_for(show):
    with show("small") as page:
        pictures = set()
        for kind in ("Frequency", "Mutual information", "Contrast"):
            page.get_by_label(kind, exact=True).check(force=True)
            frame(page)
            pictures.add(page.get_by_role("img").screenshot())
        page.get_by_label("Sizes by frequency").check()
        frame(page)
        pictures.add(page.get_by_role("img").screenshot())
        assert len(pictures) == 4
        assert page.get_by_label("Contrast with all parts").is_hidden()


def test_two_of_more_dimensions_are_chosen(show):
    grid = GRIDS["numeric"]()
    names = [dimension.name for dimension in grid.dimensions]
    with show("numeric") as page:
        page.get_by_label("Rows").first.select_option(label=names[2])
        page.get_by_label("Columns").first.select_option(label=names[0])
        assert table_of(page)["counts"] == grid.table(2, 0).tolist()
        other = page.get_by_label(f"Part of {names[1]}")
        other.select_option(index=2)
        part = grid.cells[:, 1] == 1
        table = np.zeros((grid.shape[2], grid.shape[0]), dtype=int)
        np.add.at(table, (grid.cells[part, 2], grid.cells[part, 0]), grid.counts[part])
        assert table_of(page)["counts"] == table.tolist()
        page.get_by_label("Contrast with all parts").check(force=True)
        assert page.get_by_text("Share here / in all").is_visible()
        # The same dimension on both sides: the other side takes what is left.
        page.get_by_label("Rows").first.select_option(label=names[0])
        assert table_of(page)["counts"] == table.T.tolist()
        page.get_by_role("button", name="Swap").click()
        assert table_of(page)["counts"] == table.tolist()


# --- names and files --------------------------------------------------------


def saved(page, button):
    page.get_by_text("Names and files").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    content = Path(download.value.path()).read_bytes().decode()
    page.get_by_text("Names and files").click()
    return download.value.suggested_filename, content


def test_names_are_given_saved_and_read_again(show, tmp_path):
    grid = GRIDS["small"]()
    with show("small") as page:
        column = page.get_by_role("article", name="Selected column cluster")
        box = column.get_by_role("textbox")
        node = page.evaluate(f"{VIEW}.selected[1]")
        box.fill("<b>the ys</b>")
        page.keyboard.press("Tab")
        assert "<b>the ys</b>" in page.get_by_role("img").get_attribute("aria-label")
        name, text = saved(page, "Save names")
        assert name == "made-up.names.json"
        # The command reads what the page saves.
        path = tmp_path / name
        path.write_text(text)
        given = {"y": {grid.dimensions[1].parts[node]: "<b>the ys</b>"}}
        assert read_names(path, grid) == given
    with show("small") as page:
        page.get_by_text("Names and files").click()
        page.get_by_label("Load names").set_input_files(path)
        page.get_by_text("1 names of made-up.names.json are shown").wait_for()
        assert page.evaluate(f"{VIEW}.texts.label(1, {node})") == "<b>the ys</b>"
        for wrong in (
            "{",
            "{}",
            json.dumps(json.loads(text) | {"dimensions": {"z": {}}}),
            json.dumps(json.loads(text) | {"dimensions": {"y": {"no": "x"}}}),
        ):
            path.write_text(wrong)
            page.get_by_label("Load names").set_input_files(path)
            page.get_by_text("Nothing was changed").wait_for()
            assert page.evaluate(f"{VIEW}.texts.label(1, {node})") == "<b>the ys</b>"
            page.evaluate(f"{VIEW}.refs.filesTold.textContent = ''")


def test_the_selection_and_the_cells_are_saved(show):
    grid = GRIDS["small"]()
    with show("small") as page:
        page.evaluate(f"{VIEW}.moveTo(3, 4)")
        frame(page)
        name, text = saved(page, "Selected clusters")
        assert name == "made-up.selection.csv"
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [row["value"] for row in rows] == ["x3", "x3b", "y4", "y4b"]
        assert rows[0]["cluster"] == "{x3, x3b}"
        assert (
            int(rows[0]["observations"]) == grid.dimensions[0].value_frequencies[3][0]
        )
        _, text = saved(page, "All cells")
        cells = list(csv.DictReader(io.StringIO(text)))
        assert [int(cell["observations"]) for cell in cells] == grid.counts.tolist()
        information = sum(float(cell["information_nats"]) for cell in cells)
        assert information == pytest.approx(cell_information(grid.table(0, 1)).sum())


# --- speed, and notebooks ---------------------------------------------------


def milliseconds(page, actions):
    """CPU time that the page's main thread takes for each of some actions, drawn."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent():
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(m["value"] for m in metrics if m["name"] == "TaskDuration")

    found = []
    for action in actions:
        before = spent()
        page.evaluate(action)
        frame(page)
        found.append(spent() - before)
    return sorted(found)


@pytest.mark.parametrize(("name", "bound"), [("adult", 100), ("large", 5000)])
def test_steps_are_drawn_without_delay(show, name, bound, capsys):
    with show(name) as page:
        last = page.evaluate(f"{VIEW}.content.merges.length")
        told = {}
        for what, actions in {
            "level": [f"{VIEW}.toStep({last * i // 40})" for i in range(1, 20)],
            "fold": [f"{VIEW}.toStep(0)", *[f"{VIEW}.foldSelected(0)"] * 4],
            "move": [f"{VIEW}.moveTo({i}, {i})" for i in range(5)],
        }.items():
            spent = milliseconds(page, actions)
            told[what] = f"{spent[len(spent) // 2]:.0f} (at most {spent[-1]:.0f})"
            assert spent[-1] <= bound
    with capsys.disabled():
        print(f"\n{name}: ms a step: {told}")


def test_a_large_page_has_all_its_cells(page_of):
    page = Path(page_of("large").removeprefix("file://"))
    assert page.stat().st_size <= 3_500_000
    assert "had no room" not in page.read_text()


def test_the_widget_draws_and_gives_names_back(browser):
    grid = GRIDS["small"]()
    module = json.dumps(f"{script()}\n{template_text('widget.js')}")
    style = template_text("view.css")
    with opened(browser, "about:blank") as page:
        page.set_content(f"<style>{style}</style><div id='cell'></div>")
        page.evaluate(
            f"""async (bytes) => {{
              const code = new Blob([{module}], {{ type: "text/javascript" }});
              const widget = (await import(URL.createObjectURL(code))).default;
              const kept = {{ names: {{}},
                grid: new DataView(Uint8Array.from(bytes).buffer) }};
              window.model = {{
                get: (name) => kept[name],
                set: (name, value) => {{ kept[name] = value; }},
                save_changes: () => {{ window.saved = kept.names; }},
              }};
              // As notebooks do: what is drawn is shown later.
              const el = document.createElement("div");
              await widget.render({{ model: window.model, el }});
              document.getElementById("cell").append(el);
            }}""",
            list(payload(grid, {})),
        )
        frame(page)
        assert colours_in(page) > 2
        stage = page.get_by_role("application").bounding_box()
        assert page.get_by_role("img").bounding_box()["width"] == stage["width"]
        assert "12 × 9 clusters" in status(page)
        page.get_by_label("Name of the selected row cluster").fill("mine")
        page.keyboard.press("Tab")
        assert list(page.evaluate("window.saved")["x"].values()) == ["mine"]
