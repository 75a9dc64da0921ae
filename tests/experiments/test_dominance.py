"""`miai experiment dominance`: Holden's opening example, and the lines."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from miai.cli.experiments.dominance import command
from miai.experiments.holden.dominance import EVALUATORS, IDEAS, KAPPAS, LINES, make_lines
from miai.experiments.holden.dominance_example import (
    SCORES,
    chances_of,
    combine,
    dominance,
    example_table,
    plot_example,
)
from miai.experiments.holden.dominance_report import compare_draws
from miai.experiments.matches.match_lines import close_engines
from miai.match.contestants import agree_on_game
from miai.players.player import Player
from tests.experiments.test_match_lines import score_of


def test_the_opening_example_comes_out_as_the_formulas_say() -> None:
    left, right = (combine([chances_of(score) for score in scores]) for scores in SCORES.values())
    product = 0.2505 * 0.251 * 0.2515 * 0.252 * 0.2525
    assert left == pytest.approx((1 - product, 0.0, product), abs=1e-6)
    assert right == pytest.approx((0.75, 0.0, 0.25), abs=1e-6)
    # to win, one move that wins is enough; and who takes the best evaluation prefers the other move
    assert left.payoff > right.payoff and max(SCORES["L"]) < max(SCORES["R"])
    table = example_table()
    assert "0.499, 0.498, 0.497, 0.496, 0.495" in table and "0.5, -1, -1, -1, -1" in table and "0.99899" in table


def test_the_mixture_goes_from_the_product_to_the_mean() -> None:
    children = [chances_of(score) for score in SCORES["L"]]
    assert combine(children, 0.0).payoff == pytest.approx(0.497, abs=1e-6)
    payoffs = [combine(children, kappa).payoff for kappa in (0.0, 0.25, 0.5, 1.0)]
    assert np.diff(payoffs) == pytest.approx(np.array([0.25, 0.25, 0.5]) * (payoffs[-1] - payoffs[0]), abs=1e-6)


def test_weak_dominance_in_the_example_is_that_of_the_formula() -> None:
    found = dominance([chances_of(score) for score in SCORES["R"]])
    # a loss is the best there is when all lose: only then R2 to R5 dominate
    assert found == pytest.approx([1.0, 0.25, 0.25, 0.25, 0.25], abs=1e-5)


def test_the_figure_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot_example(tmp_path / "example.svg")
    assert (tmp_path / "example.svg").stat().st_size > 5000


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_every_line_names_players_that_exist_and_one_game(evaluator: str) -> None:
    lines = make_lines(100, 0.5, evaluator, 7.0, 32)
    assert tuple(line.name for line in lines) == LINES and len(set(LINES)) == len(LINES)
    for line in lines:
        sides = line.contestants()
        agree_on_game({}, sides.values())
        for options in (side.options for side in sides.values()):
            assert options is not None
            is_timed = line.name.endswith("-time")
            assert (options.simulations, options.time) == ((None, 0.5) if is_timed else (100, None))
            if evaluator != "net":
                Player(options)  # the rules go together
            if options.evaluator != evaluator:
                assert "fuego" in line.name or line.name == "counts"
        assert line.komi == (7.5 if line.name == "puct-no-draws" else 7.0)


def test_lines_differ_in_what_their_names_say() -> None:
    options = {line.name: line.contestants()["A"].options for line in make_lines(100, 0.5, "static", 7.0, 32)}
    kappas = [options[f"kappa-{kappa:g}"] for kappa in KAPPAS]
    assert [one.parameters["wdl-product.kappa"] for one in kappas if one] == list(KAPPAS)
    ideas = {name: options[name] for name in IDEAS}
    assert {name: (one.select, one.backup) for name, one in ideas.items() if one} == {
        "prior": ("dominance-prior", "wdl-product"),
        "effective": ("dominance", "wdl-effective"),
        "both": ("dominance-prior", "wdl-effective"),
        "counts": ("dominance-prior", "wdl-counts"),
    }


def test_draws_are_compared_with_the_same_match_without() -> None:
    drawn = score_of(50, 100)._replace(wins=40, draws=20)
    text = compare_draws({"puct": drawn, "puct-no-draws": score_of(60, 100)})
    assert "20.0 % of the games are drawn" in text and "changes by +10.0 (z = +1.4, p = 0.16)" in text
    assert compare_draws({"puct": drawn}) == ""


def test_the_command_writes_tables_and_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "out"
    arguments = ["--line", "kappa-0.3", "--games", "2", "--simulations", "2", "--counting", "twogtp", "--parallel", "1"]
    result = CliRunner().invoke(command, [*arguments, "--memory", "32", "--output", str(folder)])
    close_engines()
    assert result.exit_code == 0, result.output
    table = (folder / "table.md").read_text()
    assert "## The opening example" in table and "0.99899" in table and "| `kappa-0.3` | 2 " in table
    assert "the full size of 200 games of these lines would take" in table
    assert all((folder / name).stat().st_size > 1000 for name in ("example.svg", "scores.svg", "games.npz"))
