"""What the page does with keys, a mouse and a server in special cases, in Chromium."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect

from miai.web.messages import MAX_BYTES
from tests.web.browsing import PATIENCE, SHOTS, begin, number, status
from tests.web.running import OPTIONS, Talk, free_port

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(not SHOTS.CHROMIUM.exists(), reason="chromium is not installed"),
]


def watch_slowly(page: Page) -> None:
    page.click("#tab-watch")
    page.select_option("[name=preset]", "uct-random")
    page.select_option("[name=pace]", "medium")
    page.fill("[name=simulations]", "100000")
    page.click("#watch-start")
    page.locator("#panel-watch[data-state=running]").wait_for()


def press_slowly(page: Page, button: Locator) -> None:
    """Press a button as a hand does: between press and release the search sends some pictures."""
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.wait_for_timeout(350)
    page.mouse.up()


def test_a_mouse_opens_and_closes_moves_while_a_search_runs(page: Page) -> None:
    begin(page, opponent="nobody")
    watch_slowly(page)
    opened, below = page.locator(".search .twist[aria-expanded=true]"), page.locator(".search [aria-level='2']")
    for _ in range(3):
        press_slowly(page, page.locator(".search .twist:enabled").first)
        expect(opened).to_have_count(1, timeout=PATIENCE)
        expect(below.first).to_be_visible(timeout=PATIENCE)
        press_slowly(page, opened)
        expect(opened).to_have_count(0, timeout=PATIENCE)
        expect(below).to_have_count(0, timeout=PATIENCE)


def test_buttons_of_a_tree_keep_the_focus_while_a_search_runs(page: Page) -> None:
    begin(page, opponent="nobody")
    watch_slowly(page)
    more = page.locator(".search button.small")
    press_slowly(page, more)
    expect(more).to_have_text("Fewer")
    page.wait_for_timeout(500)
    expect(more).to_be_focused()
    page.keyboard.press("Enter")
    expect(more).to_have_text("All 26 moves")
    twist = page.locator(".search .twist:enabled").first
    twist.focus()
    move = twist.get_attribute("aria-label")
    page.wait_for_timeout(500)
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == move


def test_a_hidden_number_does_not_block_a_search(page: Page) -> None:
    begin(page, opponent="nobody")
    page.click("#tab-watch")
    page.select_option("[name=domain]", "simulated")
    page.fill("[name=index]", "-5")
    page.select_option("[name=domain]", "go")
    page.select_option("[name=preset]", "uct-random")
    page.fill("[name=simulations]", "50")
    page.click("#watch-start")
    page.locator("#panel-watch[data-state=finished]").wait_for()


def test_keys_play_a_candidate_and_walk_through_variations(page: Page) -> None:
    SHOTS.drop_sgf(page, "(;SZ[5]KM[7];B[cc];W[bb](;B[dd];W[bd])(;B[bc]))")
    variations = page.locator("svg.variations")
    variations.focus()
    for key, place in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowRight", 3), ("ArrowDown", 3)):
        page.keyboard.press(key)
        number(page, f"^{place} /")
    number(page, "^3 / 3$")
    expect(variations).to_have_attribute("aria-activedescendant", "node-5")
    expect(page.locator("#node-5 title")).to_have_text("3 Black B3")
    page.keyboard.press("ArrowUp")
    number(page, "^3 / 4$")
    page.keyboard.press("ArrowLeft")
    number(page, "^2 /")
    expect(variations).to_be_focused()
    page.click("#analyze")
    row = page.locator(".candidates tbody tr[tabindex]").first
    row.focus()
    page.keyboard.press("Enter")
    number(page, "^3 /")
    page.locator(".candidates tbody tr[tabindex]").first.focus()
    page.keyboard.press(" ")
    number(page, "^4 /")


def test_a_clock_is_no_live_region(page: Page) -> None:
    page.select_option("[name=clock]", "600,20")
    begin(page, opponent="nobody")
    clock = page.locator("output.clock").first
    expect(clock).to_have_attribute("role", "timer")
    expect(clock).to_have_attribute("aria-live", "off")
    changes = """clock => new Promise((resolve) => {
      let count = 0;
      const observer = new MutationObserver((all) => { count += all.length; });
      observer.observe(clock, { childList: true, characterData: true, subtree: true });
      setTimeout(() => resolve(count), 2000);
    })"""
    assert page.locator("output.clock").nth(1).evaluate(changes) == 0
    assert 1 <= clock.evaluate(changes) <= 3


def test_a_game_under_way_is_given_up_only_on_request(page: Page) -> None:
    begin(page, opponent="nobody")
    page.click("#start")
    expect(page.locator("dialog")).to_have_count(0)  # nobody has moved yet
    SHOTS.click_point(page, 2, 2)
    number(page, "^1 / 1")
    drop = """() => {
      const data = new DataTransfer();
      data.items.add(new File(["(;SZ[5];B[aa];W[bb];B[cc])"], "game.sgf"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    }"""
    for begin_another in (lambda: page.click("#start"), lambda: page.evaluate(drop)):
        begin_another()
        expect(page.locator("dialog")).to_contain_text("A game is under way")
        page.locator("dialog button").nth(1).click()
        number(page, "^1 / 1")
    page.evaluate(drop)
    page.locator("dialog .primary").click()
    number(page, "^0 / 3")


def test_the_form_of_a_new_game_begins_with_the_command_lines_values(browser: Browser, state: dict[str, str]) -> None:
    options = [*OPTIONS, "--port", "0", "--size", "6", "--komi", "5.5", "--rules", "chinese"]
    with SHOTS.serve(options, state) as (_, address):
        page = SHOTS.open_page(browser, address)
        for name, value in (("size", "6"), ("komi", "5.5"), ("rules", "chinese")):
            expect(page.locator(f"#panel-play [name={name}]")).to_have_value(value)
        for handicap, komi in (("2", "0.5"), ("0", "5.5")):
            page.select_option("[name=handicap]", handicap)
            expect(page.locator("[name=komi]")).to_have_value(komi)
        page.context.close()


def test_a_page_whose_token_is_no_longer_valid_says_what_to_do(browser: Browser, tmp_path: Path) -> None:
    options = ["--port", str(free_port()), *OPTIONS]
    with SHOTS.serve(options, {"XDG_STATE_HOME": str(tmp_path / "first")}) as (_, address):
        page = SHOTS.open_page(browser, address)
    with SHOTS.serve(options, {"XDG_STATE_HOME": str(tmp_path / "second")}):
        status(page, "Open the address that miai web has printed")
        opened: list[str] = []
        page.on("websocket", lambda one: opened.append(one.url))
        page.wait_for_timeout(6000)
        assert opened == []
        page.click("#do-pass")
        expect(page.locator(".toast")).to_contain_text("Open the address")
        page.context.close()


def long_comments(page: Page, address: str, count: int) -> None:
    """Comment on so many moves of the page's game, each with as much as may be."""
    with Talk(address, page.evaluate("sessionStorage.getItem('miai-session')")) as talk:
        for node in range(count):
            talk.send("comment", node=node, text=f"{node} " + 9_990 * "x")
        talk.wait("node", node=count - 1)


def test_a_game_too_large_to_keep_does_not_keep_the_page_out(page: Page, address: str) -> None:
    SHOTS.drop_sgf(page, "(;SZ[5]" + ";B[];W[aa];B[bb];W[ab];B[ba]" + ";W[];B[]" * 60 + ")")
    long_comments(page, address, 90)
    while not page.evaluate("sessionStorage.getItem('miai-saved').includes('89 xxx')"):
        page.wait_for_timeout(50)
    assert 890_000 < len(page.evaluate("sessionStorage.getItem('miai-saved')")) < MAX_BYTES
    page.reload()
    number(page, "/ 125$")
    long_comments(page, address, 110)
    expect(page.locator(".toast")).to_contain_text("too large for the page to keep")
    assert page.evaluate("sessionStorage.getItem('miai-saved')") is None
    page.reload()
    number(page, "/ 125$")
    page.evaluate("""() => {
      sessionStorage.setItem("miai-saved", JSON.stringify("x".repeat(1 << 20)));
      sessionStorage.setItem("miai-session", "of-another-server");
    }""")
    page.reload()
    number(page, "^0 / 0$")
    begin(page, opponent="nobody")


def test_a_move_that_failed_can_be_asked_for_again(page: Page) -> None:
    sockets: list[WebSocketRoute] = []

    def join(route: WebSocketRoute) -> None:
        route.connect_to_server()
        sockets.append(route)

    page.route_web_socket(re.compile("/socket$"), join)
    page.reload()
    begin(page)
    status(page, "Your turn")
    retry = page.locator("#do-retry")
    expect(retry).to_be_hidden()
    failed = {"phase": "playing", "to_play": "white", "thinking": "", "node": 0, "size": 5, "board": "." * 25}
    rest = {
        "captured": {"black": 0, "white": 0},
        "illegal": [],
        "dead": [],
        "comment": "",
        "result": "",
        "clocks": None,
    }
    sockets[-1].send(json.dumps({"type": "position", **failed, **rest}))
    retry.click()
    status(page, "Your turn")
    expect(retry).to_be_hidden()


def test_a_second_review_begins_at_its_first_move(page: Page) -> None:
    SHOTS.drop_sgf(page, "(;SZ[5]KM[7];B[cc];W[bb];B[dd];W[bd];B[bc];W[cb])")
    page.click("#do-last")
    page.evaluate("""() => {
      window.told = [];
      new MutationObserver(() => window.told.push(document.getElementById("status").textContent))
        .observe(document.getElementById("status"), { childList: true, characterData: true, subtree: true });
    }""")
    for _ in range(2):
        page.evaluate("window.told.length = 0")
        page.click("#review")
        page.evaluate("""() => new Promise((done) => {
          const isTold = () => window.told.some((one) => one.includes("reviews the game"));
          const look = () => (isTold() ? done() : setTimeout(look, 20));
          look();
        })""")
        page.locator("#review", has_text="Review").wait_for()
        status(page, "to play")
        told = [one for one in page.evaluate("window.told") if "reviews the game" in one]
        assert told[0] == "miai reviews the game: 0 of … moves."


def test_the_status_says_that_miai_analyses(page: Page) -> None:
    begin(page, opponent="nobody")
    page.click("#tab-analyze")
    page.click("#analyze")
    status(page, "miai analyses")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_warning_can_be_read_in_either_scheme(browser: Browser, address: str, scheme: str) -> None:
    page = SHOTS.open_page(browser, address, color_scheme=scheme)
    page.evaluate("() => { document.getElementById('toasts').innerHTML = '<div class=\"toast wrong\">no</div>'; }")
    color = page.locator(".toast").evaluate("toast => getComputedStyle(toast).color")
    assert color == {"light": "rgb(255, 255, 255)", "dark": "rgb(34, 0, 0)"}[scheme]
    page.context.close()
