r"""Run the conversations in `transcripts/`: what a client sends and what the engine must reply.

    # a comment
    > play b E5            a line that is sent
    =                      its reply; a line that is sent and not followed by a reply must get none
    >> play\tb\tD4\r       a line that is sent with Python's escapes
    =
    > genmove w
    = <<[A-HJ][1-9]>>      a part in double brackets is a pattern
    > showboard
    =
    ...                    any number of lines

Those in `transcripts/real` talk to the real player with few simulations, the others to one that plays the first legal
point from the top left.
"""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from miai.gtp.in_process import engine_loop
from miai.gtp.session import Session, load_player
from miai.players.options import PlayerOptions
from tests.gtp.conversation import Conversation
from tests.gtp.fake_player import FakePlayer

FOLDER = Path(__file__).parent / "transcripts"
FILES = sorted(FOLDER.rglob("*.gtp"))


class Step(NamedTuple):
    line_number: int
    sent: bytes
    expected: list[str]


def read_steps(text: str) -> list[Step]:
    steps: list[Step] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(">> "):
            steps.append(Step(number, line[3:].encode("latin-1").decode("unicode_escape").encode("latin-1"), []))
        elif line.startswith(">"):
            steps.append(Step(number, line[2:].encode(), []))
        elif line and not line.startswith("# "):
            steps[-1].expected.append(line)
    return steps


def pattern_of(expected: list[str]) -> str:
    lines = []
    for line in expected:
        if line == "...":
            lines.append("(?:.*\n)*?")
        else:
            parts = re.split(r"<<(.*?)>>", line)
            lines.append("".join(f"(?:{part})" if i % 2 else re.escape(part) for i, part in enumerate(parts)) + "\n")
    return "".join(lines) + "\n"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_the_engine_replies_as_written(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    is_real = path.parent.name == "real"
    options = PlayerOptions(simulations=50, seed=1, memory=16)
    session = Session(options, make_player=load_player if is_real else FakePlayer)
    with Conversation(engine_loop(session)) as conversation:
        for step in read_steps(path.read_text()):
            conversation.send(step.sent + b"\n")
            if step.expected:
                reply = conversation.read_reply()
                assert re.fullmatch(pattern_of(step.expected), reply), f"line {step.line_number}: {reply!r}"
        assert conversation.finish() == "", "a reply that nobody asked for"


def test_there_are_transcripts():
    assert len(FILES) >= 10


def test_a_transcript_can_fail():
    assert not re.fullmatch(pattern_of(["= B+3.5"]), "= B+3x5\n\n")
    assert not re.fullmatch(pattern_of(["="]), "= \n\n")
    assert not re.fullmatch(pattern_of(["= <<[A-C][1-3]>>"]), "= A4\n\n")
    assert re.fullmatch(pattern_of(["=", "...", "= <<b+>>c"]), "=\nx\ny\n= bbc\n\n")
