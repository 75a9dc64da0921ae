"""docs/reference/gtp.md names every command, and its conversations with the real engine go as written."""

import re
from pathlib import Path

import pytest

from miai.gtp.commands import command_names
from miai.gtp.in_process import engine_loop
from miai.gtp.session import Session, load_player
from miai.players.options import PlayerOptions
from tests.gtp.conversation import Conversation
from tests.gtp.test_transcripts import pattern_of, read_steps

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "gtp.md").read_text(encoding="utf-8")
CONVERSATIONS = re.findall(r"```gtp\n(.*?)```", TEXT, re.DOTALL)


def test_every_command_is_named():
    named = set(re.findall(r"`([a-z][\w-]*)", TEXT))
    assert [name for name in command_names() if name not in named] == []


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=lambda text: text.splitlines()[0])
def test_a_conversation_goes_as_written(conversation):
    session = Session(PlayerOptions(simulations=50, seed=1, memory=16), make_player=load_player)
    with Conversation(engine_loop(session)) as client:
        for step in read_steps(conversation):
            client.send(step.sent + b"\n")
            reply = client.read_reply()
            assert re.fullmatch(pattern_of(step.expected), reply), f"line {step.line_number}: {reply!r}"


def test_there_are_conversations():
    assert len(CONVERSATIONS) >= 6
