"""The shell commands that pages show, as a shell reads them."""

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
PROGRAMS = ("miai", "gtp", "pip", "python", "python3", "pytest", "ruff", "mypy", "lint-imports", "bash", "gogui-twogtp")
PROGRAMS += ("sphinx-build", "timeout")
"""All that pages start; `gtp` stands where a GUI asks for the arguments alone."""


class Block(NamedTuple):
    """A fenced block without a language."""

    page: Path
    text: str

    @property
    def is_shell(self) -> bool:
        """Whether it is commands, not a tree of files or a conversation."""
        assigned = re.sub(r'^(\w+=("[^"]*"|\S*)\s)+', "", self.text)
        return assigned.removeprefix(".venv/bin/").split()[0] in PROGRAMS


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page that name no language."""
    fences = re.findall(r"^```([^\n]*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [Block(page, text) for language, text in fences if not language]


def inline_commands(page: Path) -> list[str]:
    """Return what stands within a line as a command of miai's."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"`(miai [^`\n]+)`", prose)
    return [text for text in found if "…" not in text and "[OPTIONS]" not in text]


def run_shell(text: str, folder: Path, programs: Path) -> None:
    """Let bash run commands in a folder, with these programs and no others.

    Raises:
        AssertionError: if one of them fails; with its last words.
    """
    script = "set -euo pipefail\n" + text.replace(".venv/bin/", "")
    environment = os.environ | {"PATH": str(programs)}
    outcome = subprocess.run(["/bin/bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True)
    assert outcome.returncode == 0, f"{text}\n{outcome.stdout[-1000:]}\n{outcome.stderr[-2000:]}"


def write_program(folder: Path, name: str, text: str) -> None:
    """Write an executable file."""
    (folder / name).write_text(text, encoding="utf-8")
    (folder / name).chmod(0o755)


def commands_in(text: str, folder: Path) -> list[list[str]]:
    """Return the commands of a block, split into words by bash; nothing is run."""
    programs, log = folder / "programs", folder / "log"
    programs.mkdir(exist_ok=True)
    log.write_bytes(b"")
    for name in PROGRAMS:
        write_program(programs, name, f'#!/bin/bash\nprintf "%s\\0" "${{0##*/}}" "$@" $\'\\n\' >> {log}\n')
    write_program(programs, "timeout", '#!/bin/bash\nwhile [ "$1" != miai ]; do shift; done\nexec "$@"\n')
    run_shell(text, folder, programs)
    return [record.split("\0")[:-1] for record in log.read_text(encoding="utf-8").split("\n\0")[:-1]]
