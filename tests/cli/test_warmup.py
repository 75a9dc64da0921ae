"""Compiling at the first start: said on stderr with progress, done once."""

import dataclasses
import sys
import types

import pytest
from click.testing import CliRunner

import miai.engine.jit
from miai.cli.warmup import command
from miai.players.compiling import _what_is_compiled, compile_if_cold
from miai.players.options import PlayerOptions


@pytest.fixture
def compiled_sizes(monkeypatch, tmp_path):
    """Replace what compiles by a recorder of board sizes, with a cold cache of its own."""
    sizes = []

    def warm_up(options, size):
        sizes.append(size)
        yield "board"
        yield "search"

    module = types.ModuleType("miai.players.warm_up")
    module.warm_up = warm_up
    module.NUM_WARM_UP_STEPS = 2
    monkeypatch.setitem(sys.modules, "miai.players.warm_up", module)
    monkeypatch.setattr(miai.engine.jit, "CACHE_FOLDER", tmp_path / "cache")
    monkeypatch.setattr(miai.engine.jit, "_failures", [])
    return sizes


def test_a_first_start_compiles_and_says_so_on_stderr_only(compiled_sizes, capsys):
    compile_if_cold(PlayerOptions(), 9)
    said = capsys.readouterr()
    assert compiled_sizes == [9]
    assert said.out == ""
    begun, done = said.err.splitlines()
    assert "first start" in begun
    assert "compiled in 0 s" in done


def test_a_later_start_compiles_nothing_and_is_silent(compiled_sizes, capsys):
    compile_if_cold(PlayerOptions(), 9)
    capsys.readouterr()
    compile_if_cold(PlayerOptions(), 9)
    assert compiled_sizes == [9]
    assert capsys.readouterr().err == ""


def test_another_size_is_no_first_start(compiled_sizes, capsys):
    compile_if_cold(PlayerOptions(), 9)
    capsys.readouterr()
    compile_if_cold(PlayerOptions(), 13)
    said = capsys.readouterr().err.splitlines()[0]
    assert compiled_sizes == [9, 13]
    assert "first start" not in said and "first time on 13x13" in said


def test_a_file_in_place_of_the_cache_folder_compiles_at_every_start(compiled_sizes, monkeypatch, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(miai.engine.jit, "CACHE_FOLDER", tmp_path / "file" / "cache")
    for _ in range(2):
        compile_if_cold(PlayerOptions(), 9)
    assert compiled_sizes == [9, 9]
    assert capsys.readouterr().err.count("cannot be kept in") == 1


def test_a_start_that_was_interrupted_compiles_again(compiled_sizes, monkeypatch):
    def interrupted(options, size):
        yield "board"
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["miai.players.warm_up"], "warm_up", interrupted)
        with pytest.raises(KeyboardInterrupt):
            compile_if_cold(PlayerOptions(), 9)
    compile_if_cold(PlayerOptions(), 9)
    assert compiled_sizes == [9]


def test_warmup_compiles_the_size_it_is_asked_for_even_if_warm(compiled_sizes):
    for _ in range(2):
        assert CliRunner().invoke(command, ["--size", "13"]).exit_code == 0
    assert compiled_sizes == [13, 13]


def test_what_only_some_options_run_is_compiled_for_them() -> None:
    one = PlayerOptions(select="puct", evaluator="net")
    others = [
        dataclasses.replace(one, threads=2),
        dataclasses.replace(one, final="policy"),
        dataclasses.replace(one, parameters={"search.stop_probability": 0.01}),
    ]
    assert _what_is_compiled(one, 9) not in {_what_is_compiled(other, 9) for other in others}
    same = dataclasses.replace(one, simulations=7, parameters={"search.stop_probability": 0.0})
    assert _what_is_compiled(one, 9) == _what_is_compiled(same, 9)


def test_what_is_compiled_depends_on_where_priors_come_from() -> None:
    options = [PlayerOptions(evaluator="playouts", select="rave", prior=prior) for prior in ("policy", "learned")]
    assert len({_what_is_compiled(one, 9) for one in options}) == 2
