"""Pages in a real browser: what a click, a pointer, a narrow screen and a printer make of them."""

import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from boostbench.experiments.runs import CLEAN
from boostbench.reports.overview import write_overview

from .claims.stating import with_claims
from .synthetic import EXCHANGE, make_config, plan_of
from .test_report import report_of, write_report

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium is found")
    with playwright.sync_playwright() as p:
        started = p.chromium.launch(executable_path=path, args=OPTIONS, timeout=120_000)
        yield started
        started.close()


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    config = make_config(folder, rounds=30, checkpoints=list(range(1, 31)), seeds=2)
    config = with_claims(
        config, {"says": "it leads", "compares": {"booster": "samme", "lower_than": "others"}}
    )
    report_of(folder, config, absent={"dna/samme/clean/seed-0": "skipped: no dna.csv"})
    noisy = make_config(
        folder, noise=[CLEAN, EXCHANGE], rounds=10, checkpoints=[10], seeds=2, title="Noisy"
    )
    write_report(noisy, plan_of(noisy), folder / "noisy")
    write_overview(folder)
    return folder


@pytest.fixture
def opened(browser, results):
    """Return a function that opens a page; nothing may be loaded and no script may fail."""
    contexts, complaints = [], []

    def open_page(name="out/report.html", size=DESKTOP, **options):
        contexts.append(browser.new_context(viewport=size, **options))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("request", lambda request: complaints.append(request.url))
        file, _, place = name.partition("#")
        page.goto(f"{(results / file).as_uri()}#{place}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    loaded = [text for text in complaints if not text.startswith(("file:", "data:"))]
    assert not loaded


def over(page):
    plot = page.locator(".u-over").first
    plot.scroll_into_view_if_needed()
    return plot.bounding_box()


def test_the_pointer_shows_the_values_of_the_lines_at_its_round(opened):
    page = opened()
    box = over(page)
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] / 2)
    tip = page.locator(".tip:visible")
    tip.wait_for()
    panel = json.loads(page.locator("figure script").text_content())[0]
    shown = tip.inner_text()
    assert shown.startswith("round 1\n")
    for line in panel["lines"]:
        assert line["label"] in shown
    first = max(line["y"][0] for line in panel["lines"])
    assert f"{first:.4g}" in shown


def test_a_name_of_the_legend_hides_its_lines_and_shows_them_again(opened):
    page = opened()
    name = page.get_by_role("button", name="SAMME")
    box = over(page)

    def pointed():
        page.mouse.move(box["x"] + 3, box["y"] + 3)
        page.mouse.move(box["x"] + 1, box["y"] + box["height"] / 2)
        return page.locator(".tip:visible").inner_text()

    assert "SAMME" in pointed()
    name.click()
    assert name.get_attribute("aria-pressed") == "false"
    box = over(page)
    assert "SAMME" not in pointed()
    name.click()
    box = over(page)
    assert "SAMME" in pointed()


def test_an_axis_becomes_logarithmic_and_linear_again(opened):
    page = opened()
    box = over(page)
    round_at_middle = []
    for _ in range(2):
        page.mouse.move(box["x"] + box["width"] / 2 + 2, box["y"] + 50)
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 50)
        text = page.locator(".tip:visible").inner_text().split("\n")[0]
        round_at_middle.append(int(text.split()[1]))
        page.get_by_role("button", name="log x").click()
        box = over(page)
    logarithmic, linear = round_at_middle
    assert logarithmic < 8 < 13 < linear


def test_the_head_of_a_column_sorts_the_rows(opened):
    page = opened()
    page.locator("#table thead button").last.click()
    column = page.locator("#table tbody td:last-child").all_inner_texts()
    numbers = [float(text.split()[0]) for text in column if text[0].isdigit()]
    assert numbers == sorted(numbers)


def test_the_answer_the_figure_and_the_verdicts_come_first(opened):
    page = opened(size={"width": 1366, "height": 768})
    assert " has the lowest test error on " in page.locator(".answer").inner_text()
    tops = [
        page.locator(name).bounding_box()["y"]
        for name in (".answer", "canvas >> nth=0", "#table", "#claims")
    ]
    assert tops == sorted(tops)
    assert tops[1] < 500
    assert page.locator("nav").evaluate("its => getComputedStyle(its).position") == "sticky"


def test_a_link_to_a_folded_part_unfolds_it(opened):
    page = opened()
    assert not page.locator("#provenance dl").is_visible()
    page.locator("nav a[href='#provenance']").click()
    page.locator("#provenance dl").wait_for()
    page = opened("out/report.html#provenance")
    page.locator("#provenance dl").wait_for()


def test_print_shows_the_still_figure_in_place_of_the_chart(opened):
    page = opened()
    assert page.locator("figure canvas").first.is_visible()
    assert not page.locator("figure img").is_visible()
    page.emulate_media(media="print")
    assert page.locator("figure img").is_visible()
    assert not page.locator("figure canvas").first.is_visible()


def test_a_page_without_the_image_beside_it_prints_the_chart(browser, results, tmp_path):
    page = browser.new_page()
    page.goto(Path(shutil.copy(results / "out/report.html", tmp_path)).as_uri())
    page.emulate_media(media="print")
    assert page.locator("figure canvas").first.is_visible()
    assert not page.locator("figure img").count()
    page.close()


def test_figures_are_dark_on_a_dark_page(opened):
    def brightness(page):
        area = page.locator("#curves figure").screenshot(type="png")
        return float(np.asarray(Image.open(io.BytesIO(area)).convert("L")).mean())

    assert brightness(opened(color_scheme="light")) > 200
    assert brightness(opened(color_scheme="dark")) < 60


@pytest.mark.parametrize("name", ["out/report.html", "index.html", "noisy/leaderboard.html"])
def test_on_a_phone_nothing_scrolls_sideways_and_tables_show_numbers(opened, name):
    page = opened(name, PHONE)
    widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]
    for table in page.locator("#table .scroll").all():
        assert table.evaluate("its => its.scrollWidth <= its.clientWidth")
        boxes = [cell.bounding_box() for cell in table.locator("tbody td").all()]
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)


def test_the_index_leads_to_the_page_of_an_experiment(opened):
    page = opened("index.html")
    page.get_by_role("link", name="tiny").click()
    assert page.url.endswith("out/report.html")
    assert page.locator("#claims").is_visible()


def test_the_leaderboard_is_filtered_sorted_and_opened_by_keyboard(opened):
    page = opened("noisy/leaderboard.html")

    def column(place):
        return page.locator(f"#board tbody tr > :nth-child({place})").all_inner_texts()

    quantiles = page.evaluate("[1, 2, 3, 9].map(t975)")
    assert quantiles == pytest.approx([12.706, 4.303, 3.182, 2.262], abs=0.03)
    assert column(1) == ["1. AdaBoost.MH", "2. sm-boost", "3. SAMME"]
    of_all = [float(text) for text in column(2)]
    assert of_all == sorted(of_all)
    page.get_by_label("wrong labels").select_option("0")
    assert all(clean < each for clean, each in zip(map(float, column(2)), of_all, strict=True))
    assert page.locator("#numbers thead th").all_inner_texts() == ["data set", "classes", "clean"]
    page.get_by_role("button", name="mean rank").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # the other way round
    assert column(1)[0] == "3. SAMME"
    page.get_by_role("button", name="sm-boost").focus()
    page.keyboard.press("Enter")
    assert page.locator("#numbers h2").inner_text() == "sm-boost by data set: test error (%)"
    page.get_by_role("searchbox").fill("samme")
    assert column(1) == ["3. SAMME"]
    assert page.url.endswith("#search=samme&rate=0&of=sm-boost")
    again = opened("noisy/leaderboard.html#search=samme&rate=0&of=sm-boost")
    assert again.locator("#board tbody tr").count() == 1
