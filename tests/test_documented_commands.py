"""Every command that a page shows is read by the program that it names; those of tutorials and how-tos run.

Two ways. *Read*: bash splits the commands of all pages, click takes those of miai with all options and values, and
players of matches are looked up; nothing runs. *Run*: the commands of the README, the tutorials and most how-tos run
one after the other in an empty folder, each with options behind that make it small. Not run: what needs GNU Go, Ray, a
server, another checkout or a network of KataGo's, and `miai loop`, `tune`, `bench`, `warmup` and `experiment`, which
have tests of their own.
"""

import contextlib
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

import miai
from miai.cli.main import COMMANDS, main
from miai.match.contestants import read_contestant
from miai.nets.net_files import net_file
from tests.match.test_twogtp_reading import write_table
from tests.shown_commands import PAGES, ROOT, blocks_of, commands_in, inline_commands, run_shell, write_program

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture
def any_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files be named that are not there."""
    monkeypatch.setattr(click.Path, "convert", lambda self, value, parameter, context: Path(value))
    monkeypatch.setattr("miai.cli.train._net_file", Path)


def read_by_click(words: list[str]) -> None:
    """Let click read the arguments of `miai`.

    Raises:
        click.UsageError: if it does not understand them.
        OptionError: if a player of a match is none.
    """
    command: click.Command = main
    is_match = words[:1] in (["match"], ["round-robin"])
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name, *words = words
        found = command.get_command(click.Context(command), name)
        if found is None:
            raise click.UsageError(f"there is no command {name}")
        command = found
    if isinstance(command, click.Group):
        return
    try:
        with command.make_context(command.name, list(words)) as context:
            given = context.params
    except click.exceptions.Exit:
        return  # --help
    if not is_match:
        return
    if "a" in given and given["b"] is None and not given["a"].endswith(".toml"):
        raise click.UsageError("a match has two players")
    for player in filter(None, (given["a"], given["b"]) if "a" in given else given["texts"]):
        if re.match(r"[\w-]+(:|$)", player) and ".py:" not in player:
            read_contestant(player)


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_the_commands_of_a_page_can_be_read(page: Path, tmp_path: Path, any_path: None) -> None:
    for block in blocks_of(page):
        if not block.is_shell:
            continue
        for program, *words in commands_in(block.text, tmp_path):
            if program in ("miai", "gtp"):
                read_by_click(words if program == "miai" else ["gtp", *words])
            elif program.startswith("python") and words[0].endswith(".py"):
                assert (ROOT / words[0]).is_file(), words
            elif program == "pip":
                extras = re.findall(r"\.\[([\w,]+)\]", " ".join(words))
                assert {name for found in extras for name in found.split(",")} <= EXTRAS.keys()
                assert (ROOT / words[words.index("-c") + 1]).is_file()


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_within_a_line_can_be_read(page: Path, any_path: None) -> None:
    for text in inline_commands(page):
        _, *words = shlex.split(text)
        if len(words) == 1:
            assert words[0] in COMMANDS or words[0].startswith("-"), text
        elif words[0] != "experiment" or len(words) > 2:
            with contextlib.suppress(click.MissingParameter):  # a sentence need not say all of it
                read_by_click([word.replace("no_X", "no_ac") for word in words])


def test_what_is_no_command_is_known() -> None:
    blocks = [block for page in PAGES for block in blocks_of(page)]
    others = [block for block in blocks if not block.is_shell]
    assert len(blocks) - len(others) > 50
    assert {block.text.split()[0] for block in others} <= {"exec", "runs/first/", ">"}


@pytest.mark.parametrize(
    "text", ["miai mach a b", "miai play --simulation 3", "miai match net:tyme=1 net", "miai match net"]
)
def test_a_command_that_is_wrong_is_found(text: str, tmp_path: Path, any_path: None) -> None:
    ((program, *words),) = commands_in(text, tmp_path)
    assert program == "miai"
    with pytest.raises((click.UsageError, ValueError)):
        read_by_click(words)


SMALL: dict[str, list[str]] = {
    "play": ["--simulations", "10"],
    "gtp": ["--simulations", "10"],
    "review": ["--simulations", "10"],
    "match": ["--games", "2"],
    "round-robin": ["--games", "2", "--simulations", "4", "--size", "5", "--opening-window", "0", "1"],
    "selfplay": ["--games", "2", "--simulations", "4", "--processes", "1"],
    "import-games": [],
    "train": ["--steps", "2", "--batch-size", "8", "--device", "cpu"],
    "label": ["--processes", "1", "--teacher", "miai"],
    "ratings": [],
}
"""What makes a command small: given after its own options, of which the last counts. Others are not run."""
TYPED = {"play": "D4\nquit\nn\n", "gtp": "genmove b\nquit\n"}
NEEDS = ("gnugo", "env -C", "tournament.toml", "--ray", ".bin.gz", "runs/loop", "data/gnugo", "data/teacher")
"""What a command that cannot be run here names."""
STARTER = r"""#!{python}
import re, subprocess, sys
SMALL, TYPED, NEEDS = {small!r}, {typed!r}, {needs!r}
name, words = sys.argv[1], [re.sub(r"simulations=\d+", "simulations=10", word) for word in sys.argv[2:]]
if name not in SMALL or any(need in " ".join(words) for need in NEEDS):
    sys.exit()
command = [sys.executable, "-m", "miai.cli.main", name, *words, *SMALL[name]]
outcome = subprocess.run(command, input=TYPED.get(name, ""), text=True)
with open({log!r}, "a") as log:
    print(name, file=log)
sys.exit(outcome.returncode)
"""
RUN: dict[str, tuple[str, ...]] = {
    "README.md": ("play", "play", "match"),
    "docs/tutorials/first-game.md": ("play", "play", "review"),
    "docs/tutorials/own-rules.md": ("play", "match", "gtp"),
    "docs/how-to/connect.md": ("gtp", "gtp", "gtp", "gtp"),
    "docs/how-to/matches.md": ("match", "review", "round-robin", "ratings"),
    "docs/how-to/self-play.md": ("selfplay", "selfplay", "import-games"),
    "docs/how-to/train-a-network.md": ("train", *["selfplay"] * 5, "label", "train", "selfplay"),
}
"""Pages whose commands run, and which of miai's these are."""


def prepare(folder: Path, page: str) -> None:
    """Write what the commands of a page take for granted."""
    if rule := re.search(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL):
        (folder / "my_rules.py").write_text(rule[1], encoding="utf-8")
    game = miai.Game().play("E5", "C3", "G3", "pass", "pass")
    (folder / "games").mkdir()
    for path in ("my-game.sgf", "games/one.sgf"):
        game.save(folder / path)
    shutil.copy(net_file("miai"), folder / "net.safetensors")
    for opponent in ("rave", "puct"):
        write_table(folder / f"uct-{opponent}.dat", ["0 B+ B+ B+ 0 - -"], "uct", opponent)
    if page.endswith("train-a-network.md"):
        words = [
            "selfplay",
            "--output",
            "data",
            "--preset",
            "uct-random",
            *SMALL["selfplay"],
            "--full-search-fraction",
            "1",
        ]
        subprocess.run([sys.executable, "-m", "miai.cli.main", *words], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("page", RUN)
def test_the_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    if "train" in page:
        pytest.importorskip("torch")
    programs, log = tmp_path / "programs", tmp_path / "log"
    folder = tmp_path / "work"
    for new in (programs, folder):
        new.mkdir()
    log.touch()
    values: dict[str, Any] = {"small": SMALL, "typed": TYPED, "needs": NEEDS, "log": str(log)}
    write_program(programs, "miai", STARTER.format(python=sys.executable, **values))
    write_program(programs, "gtp", f'#!/bin/bash\nexec {programs}/miai gtp "$@"\n')
    for name in ("pip", "python", "python3", "pytest", "gogui-twogtp"):
        write_program(programs, name, "#!/bin/bash\n")
    prepare(folder, page)
    for block in blocks_of(ROOT / page):
        if block.is_shell:
            run_shell(block.text, folder, programs)
    assert tuple(log.read_text().split()) == RUN[page]
