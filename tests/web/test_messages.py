"""What a page may say, and that nothing else gets through."""

import json
import random

import pytest

from miai.web.fields import MessageError
from miai.web.messages import MAX_BYTES, make_messages, read_message

MESSAGES = make_messages(("/home/me/my_rules.py:my_puct",))
SETTINGS = {"size": 9, "komi": 7, "rules": "chinese"}


def refusal(message: object) -> str:
    with pytest.raises(MessageError) as caught:
        read_message(message if isinstance(message, (str, bytes)) else json.dumps(message), MESSAGES)
    return str(caught.value)


def test_defaults_are_filled_in() -> None:
    read = read_message(json.dumps({"type": "new-game", "settings": SETTINGS}), MESSAGES)
    assert read["settings"] == {
        **SETTINGS,
        "handicap": 0,
        "color": "black",
        "level": None,
        "preset": None,
        "clock": None,
    }


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        (b"{}", "not bytes"),
        ("x" * (MAX_BYTES + 1), "more than"),
        ([1], "no JSON object"),
        ({"type": "shutdown"}, "'shutdown' is not allowed (allowed: hello"),
        ({"type": ["play"]}, "is not allowed"),
        ({"type": "play"}, "play: the field 'move' is missing"),
        ({"type": "play", "move": "D4", "twice": 1}, "there is no field 'twice' (allowed: move)"),
        ({"type": "play", "move": "D" * 9}, "at most 8 characters"),
        ({"type": "play", "move": "\ud800"}, "half a character"),
        ({"type": "load-sgf", "sgf": "(;)"}, "at most 600000 bytes in base64"),
        ({"type": "load-sgf", "sgf": "AAAA" * 200_001}, "at most 600000 bytes in base64"),
        ({"type": "go-to", "node": True}, "whole number from 0"),
        ({"type": "go-to", "node": 1.0}, "whole number from 0"),
        ({"type": "new-game", "settings": {**SETTINGS, "size": 99}}, "settings: size: 99 is not allowed"),
        ('{"type": "new-game", "settings": {"size": 9, "komi": NaN, "rules": "chinese"}}', "no JSON"),
        ({"type": "new-game", "settings": {**SETTINGS, "komi": 1e999}}, "no JSON"),
        ({"type": "new-game", "settings": {**SETTINGS, "clock": {"main": -1, "byoyomi": 0}}}, "clock: main"),
        ({"type": "watch", "contestants": []}, "a list of 1 to 2"),
        ({"type": "watch-open", "contestant": 0, "path": ["A1"] * 41, "open": True}, "a list of 0 to 40"),
    ],
)
def test_what_is_wrong_is_named(message: object, words: str) -> None:
    assert words in refusal(message)


def test_only_rules_that_the_command_line_named_can_be_watched() -> None:
    def watch(rule: str) -> dict[str, object]:
        return {"type": "watch", "contestants": [{"select": rule}]}

    assert (
        read_message(json.dumps(watch("/home/me/my_rules.py:my_puct")), MESSAGES)["contestants"][0]["backup"] == "mean"
    )
    assert "is not allowed" in refusal(watch("/tmp/evil.py:rule"))
    assert "is not allowed" in refusal(watch("my_rules.py:my_puct"))


def random_value(rng: random.Random, depth: int = 0) -> object:
    kinds = 9 if depth < 4 else 6
    names = ["settings", "move", "node", "sgf", "on", "path", "size", "komi", "x"]
    return [
        lambda: rng.randrange(-(10**6), 10**6),
        lambda: rng.random() * 10 ** rng.randrange(-300, 300),
        lambda: rng.choice([True, False, None]),
        lambda: "".join(chr(rng.randrange(0x3000)) for _ in range(rng.randrange(12))),
        lambda: rng.choice(["D4", "pass", "go", "uct", "chinese"]),
        lambda: 10 ** rng.randrange(400),
        lambda: [random_value(rng, depth + 1) for _ in range(rng.randrange(4))],
        lambda: {rng.choice(names): random_value(rng, depth + 1) for _ in range(rng.randrange(4))},
        dict,
    ][rng.randrange(kinds)]()


def test_hostile_messages_are_read_or_refused() -> None:
    rng = random.Random(1)
    outcomes = {True: 0, False: 0}
    for _ in range(10_000):
        kind = rng.choice(list(MESSAGES))
        fields = {name: random_value(rng) for name in MESSAGES[kind].fields if rng.random() < 0.8}
        text = json.dumps({"type": kind, **fields})
        if rng.random() < 0.2:
            text = text[: rng.randrange(len(text))] + chr(rng.randrange(256)) + text[rng.randrange(len(text)) :]
        try:
            assert read_message(text, MESSAGES)["type"] in MESSAGES
            outcomes[True] += 1
        except MessageError as error:
            assert 0 < len(str(error)) < 2000 and "\n" not in str(error)
            outcomes[False] += 1
    assert min(outcomes.values()) > 500
