"""The page in Chromium."""

import re
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, Page, expect

from tests.web.browsing import PATIENCE, SHOTS, Complaints, begin, number, status, stones
from tests.web.running import OPTIONS, Talk, free_port

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(not SHOTS.CHROMIUM.exists(), reason="chromium is not installed"),
]


def test_a_game_is_played_to_its_end(page: Page) -> None:
    begin(page)
    for played in range(0, 8, 2):
        page.click("#do-hint")
        page.locator("#panel-play tbody tr").first.wait_for()
        best = page.locator("#panel-play tbody tr").first.locator("td").nth(1).inner_text()
        assert re.fullmatch("[A-E][1-5]", best)
        SHOTS.click_point(page, "ABCDE".index(best[0]), 5 - int(best[1]))
        number(page, f"^{played + 2} /")
        status(page, "Your turn")
    while "Your turn" in page.locator("#status").inner_text():
        before = page.locator("#number").inner_text()
        has_passed = page.locator("#spoken").inner_text() == "White passes."
        page.click("#do-pass")
        if has_passed:
            page.locator("dialog .primary").click()
        expect(page.locator("#number")).not_to_have_text(before, timeout=PATIENCE)
        status(page, "Your turn|wins|Both passed|draw")
    if page.locator("#do-agree").is_visible():
        page.click("#do-agree")
    status(page, "wins|draw")
    assert page.locator("#do-resign").is_hidden()


def test_a_game_against_a_level_with_clock_and_handicap(page: Page) -> None:
    page.select_option("[name=handicap]", "3")
    page.select_option("[name=clock]", "600,20")
    begin(page, opponent="level:1", size="9")
    number(page, "^1 / 1")
    expect(page.locator("svg.board .stone")).to_have_count(4)
    expect(page.locator(".player b")).to_have_text(["You", "miai, level 1"])
    expect(page.locator("output.clock").first).to_have_text(re.compile(r"^9:5\d$"), timeout=PATIENCE)
    SHOTS.click_point(page, 0, 0)
    number(page, "^3 / 3")
    status(page, "Your turn")
    page.click("#do-back")
    expect(page.locator(".toast")).to_contain_text("while the clock runs")


def test_a_comment_belongs_to_the_position_on_which_it_was_begun(page: Page, address: str) -> None:
    begin(page, opponent="nobody")
    comment = page.get_by_label("Comment")
    comment.press_sequentially("an empty")
    with Talk(address, page.evaluate("sessionStorage.getItem('miai-session')")) as other:
        other.send("play", move="C3")
        other.wait("position", node=1)
    number(page, "^1 / 1")
    comment.press_sequentially(" board")
    page.locator("h1").click()
    expect(comment).to_have_value("")
    page.click("#do-back")
    expect(comment).to_have_value("an empty board", timeout=PATIENCE)


def test_keys_play_and_a_screen_reader_hears(page: Page) -> None:
    begin(page, opponent="nobody")
    page.locator("svg.board").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#spoken")).to_have_text("B3, empty")
    page.keyboard.press("Enter")
    expect(page.locator("#spoken")).to_have_text("Black B3.")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#spoken")).to_have_text("B3, Black stone")
    page.locator("h1").click()
    page.locator("svg.board").blur()
    page.keyboard.press("p")
    expect(page.locator("#spoken")).to_have_text("White passes.")
    page.keyboard.press("ArrowLeft")
    number(page, "^1 / 2")
    page.keyboard.press("End")
    number(page, "^2 / 2")


def test_captured_stones_leave_the_board_and_are_said(page: Page) -> None:
    begin(page, opponent="nobody")
    for place in [(1, 0), (0, 0), (0, 1)]:
        SHOTS.click_point(page, *place)
        expect(page.locator("#spoken")).to_have_text(re.compile(r"\."))
        page.wait_for_timeout(100)
    expect(page.locator("#spoken")).to_have_text("Black A4. 1 captured.")
    expect(page.locator("svg.board .stone:not(.gone)")).to_have_count(2)
    page.click("#do-undo")
    expect(page.locator("svg.board .stone:not(.gone)")).to_have_count(2)


def test_a_dropped_sgf_shows_its_variations_and_can_be_reviewed(page: Page) -> None:
    SHOTS.drop_sgf(page, SHOTS.SGF)
    expect(page.locator("#variations circle")).to_have_count(21)
    page.locator("#variations circle").nth(20).click()
    number(page, "^10 / 10")
    page.click("#do-first")
    page.click("#do-last")
    page.click("#review")
    page.locator("#review", has_text="Stop").click()
    expect(page.locator("#review")).to_have_text("Review the game", timeout=PATIENCE)
    status(page, "to play")
    page.click("#review")
    page.locator("ol.worst").wait_for()
    graph = page.locator("#panel-analyze svg.graph")
    box = graph.bounding_box()
    assert box is not None
    graph.click(position={"x": box["width"] * 30 / 400, "y": box["height"] / 2})
    number(page, "^0 /")
    page.locator("ol.worst button").first.click()
    number(page, "^[1-9]")
    with page.expect_download() as download:
        page.click("#save-sgf")
    saved = Path(download.value.path()).read_text()
    assert len(re.findall(r";\s*[BW]\[", saved)) == 20 and "Ann" in saved


def test_a_file_that_is_no_sgf_is_refused_in_words(page: Page) -> None:
    page.evaluate("""() => {
      const data = new DataTransfer();
      data.items.add(new File(["<script>alert(1)</script>"], "evil.sgf"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    }""")
    expect(page.locator(".toast")).to_contain_text("this is no SGF file", timeout=PATIENCE)


def test_names_of_a_file_are_shown_in_whatever_encoding_it_has(page: Page) -> None:
    for charset, encoding in (("", "utf-8"), ("CA[GB18030]", "gb18030")):
        content = f"(;SZ[9]{charset}PB[柯洁]PW[{encoding}];B[ee];W[aa])".encode(encoding)
        page.evaluate(
            """bytes => {
              const data = new DataTransfer();
              data.items.add(new File([new Uint8Array(bytes)], "game.sgf"));
              document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
            }""",
            list(content),
        )
        expect(page.locator(".player b")).to_have_text(["柯洁", encoding], timeout=PATIENCE)


def test_names_and_comments_of_a_file_are_text_and_nothing_else(page: Page) -> None:
    SHOTS.drop_sgf(page, "(;SZ[9]PB[<img src=x onerror=alert(1)>];B[ee]C[<b>bold</b>];W[aa];B[bb];W[cc])")
    expect(page.locator(".player b").first).to_have_text("<img src=x onerror=alert(1)>")
    assert page.locator(".player img").count() == 0


def test_analysis_on_and_off_a_hundred_times(page: Page) -> None:
    begin(page, opponent="nobody")
    page.click("#tab-analyze")
    switch = page.locator("#analyze")
    for _ in range(100):
        switch.click()
        expect(switch).to_have_attribute("aria-checked", "true", timeout=PATIENCE)
        switch.click()
        expect(switch).to_have_attribute("aria-checked", "false", timeout=PATIENCE)
    switch.click()
    expect(page.locator(".candidates tbody tr")).to_have_count(10, timeout=PATIENCE)
    expect(page.locator(".policies .share").first).to_be_visible()
    page.locator(".candidates tbody tr").first.hover()
    expect(page.locator("svg.board .planned").first).to_be_visible()
    page.mouse.move(0, 0)
    switch.click()
    expect(switch).to_have_attribute("aria-checked", "false", timeout=PATIENCE)
    page.wait_for_timeout(300)
    figures = page.locator(".figures").inner_text()
    page.wait_for_timeout(500)
    assert page.locator(".figures").inner_text() == figures


def test_two_rules_are_compared_and_a_move_is_opened(page: Page) -> None:
    begin(page, opponent="nobody")
    page.click("#tab-watch")
    page.check("[name=compare]")
    page.select_option("[name=preset]", "uct-random")
    page.fill("[name=simulations]", "400")
    page.fill("[name=parameters1]", "uct.exploration=0.2, uct.first_play=2")
    page.click("#watch-start")
    page.locator("#panel-watch[data-state=finished]").wait_for()
    second = "B: uct / mean, uct.exploration=0.2, uct.first_play=2"
    expect(page.locator(".search h2")).to_have_text(["A: puct / mean", second])
    for figures in page.locator(".search > .quiet").all_inner_texts():
        assert figures.startswith("400 simulations")
    expect(page.locator(".verdict")).to_have_text(re.compile("prefer"))
    assert page.locator("svg.board .halves").count() > 0
    page.locator(".search.second .twist").first.click()
    expect(page.locator(".search.second [aria-level='2']").first).to_be_visible(timeout=PATIENCE)
    page.select_option("[name=domain]", "simulated")
    page.fill("[name=parameters1]", "")
    page.click("#watch-start")
    page.locator("#panel-watch[data-state=finished]").wait_for()
    expect(page.locator("#picture svg")).to_be_visible()
    expect(page.locator("#panel-watch svg.graph")).to_be_visible()
    page.click("#watch-stop")
    expect(page.locator("#picture")).to_be_hidden(timeout=PATIENCE)


def test_a_reload_in_the_middle_of_a_search_keeps_the_game(page: Page) -> None:
    begin(page, opponent="nobody")
    SHOTS.click_point(page, 2, 2)
    number(page, "^1 / 1")
    page.click("#tab-watch")
    page.select_option("[name=preset]", "uct-random")
    page.select_option("[name=pace]", "slow")
    page.click("#watch-start")
    page.locator("#panel-watch[data-state=running]").wait_for()
    page.reload()
    number(page, "^1 / 1")
    expect(page.locator("svg.board .stone")).to_have_count(1, timeout=PATIENCE)
    SHOTS.click_point(page, 1, 1)
    number(page, "^2 / 2")


def test_a_second_tab_has_a_game_of_its_own(page: Page, address: str, complaints: Complaints) -> None:
    begin(page, opponent="nobody")
    SHOTS.click_point(page, 2, 2)
    number(page, "^1 / 1")
    second = complaints.listen(page.context.new_page(), address)
    second.goto(address.split("?")[0])
    second.locator("#start").wait_for()
    begin(second, opponent="nobody")
    SHOTS.click_point(second, 0, 0)
    SHOTS.click_point(second, 1, 0)
    number(second, "^2 / 2")
    number(page, "^1 / 1")
    assert stones(page) == 1


def test_a_server_that_is_killed_and_comes_back_finds_its_page(browser: Browser, state: dict[str, str]) -> None:
    options = ["--port", str(free_port()), *OPTIONS]
    with SHOTS.serve(options, state) as (server, address):
        page = SHOTS.open_page(browser, address)
        begin(page, opponent="nobody")
        SHOTS.click_point(page, 2, 2)
        number(page, "^1 / 1")
        server.kill()
        status(page, "connection to miai is lost")
    with SHOTS.serve(options, state):
        status(page, "White to play")
        SHOTS.click_point(page, 1, 1)
        number(page, "^2 / 2")
        expect(page.locator("svg.board .stone")).to_have_count(2, timeout=PATIENCE)
        page.context.close()


def test_a_page_for_which_there_is_no_engine_says_so_and_goes_on_when_there_is_one(
    browser: Browser, state: dict[str, str]
) -> None:
    with SHOTS.serve(["--port", "0", "--sessions", "1", *OPTIONS], state) as (_, address):
        first = SHOTS.open_page(browser, address)
        second = browser.new_context().new_page()
        second.goto(address)
        status(second, "As many engines run as may")
        first.context.close()
        begin(second, opponent="nobody")
        second.context.close()


@pytest.mark.parametrize("width", [320, 390, 768])
def test_narrow_screens_need_no_scrolling_sideways(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for tab in ("play", "analyze", "watch"):
        page.click(f"#tab-{tab}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, tab


def test_sound_is_off_and_the_theme_stays(page: Page) -> None:
    assert page.locator("#sound").get_attribute("aria-pressed") == "false"
    page.click("#theme")
    theme = page.evaluate("document.documentElement.dataset.theme")
    page.reload()
    page.locator("#start").wait_for()
    assert theme == "dark" and page.evaluate("document.documentElement.dataset.theme") == theme
    page.click("#help")
    expect(page.locator("dialog")).to_contain_text("analysis on or off")
    page.keyboard.press("Escape")


@pytest.mark.slow
def test_the_pictures_of_the_documentation_can_be_taken(
    browser: Browser, state: dict[str, str], tmp_path: Path
) -> None:
    with SHOTS.serve(["--port", "0", *OPTIONS], state) as (_, own_address):
        SHOTS.take_screenshots(browser, own_address, tmp_path, simulations=200)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {path.name for path in SHOTS.FOLDER.glob("web-*.jpg")}
    assert all(path.stat().st_size > 10_000 for path in tmp_path.iterdir())
