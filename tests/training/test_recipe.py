"""The recipe: its file, its refusals, its learning rates."""

import subprocess
import sys
from pathlib import Path

import pytest

from miai.players.option_kinds import OptionError
from miai.selfplay.training.training_recipe import TrainingRecipe, resolve_recipe


def test_a_file_overrides_defaults_and_the_command_line_the_file(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text("batch_size = 512\nlearning_rate = 2e-3\nprecision = 'bfloat16'\n")
    recipe = resolve_recipe(path, {"batch_size": "64", "reuse": 2})
    assert recipe == TrainingRecipe(batch_size=64, learning_rate=2e-3, precision="bfloat16", reuse=2.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("batchsize = 5", "no value of the recipe 'batchsize' – did you mean 'batch_size'?"),
        ("batch_size = 1", "batch-size: '1' is not allowed (allowed: a whole number from 2 to"),
        ("reuse = 'often'", "reuse: 'often' is not allowed (allowed: a number from"),
        ("precision = 'double'", "precision: 'double' is not allowed"),
        ("batch_size", "is not valid TOML"),
        (f"batch_size = {'9' * 5000}", "a number has too many digits"),
        ("#" * 16385, "is too large (allowed: 16384 bytes)"),
    ],
    ids=lambda value: value[:20],
)
def test_a_wrong_file_is_refused_with_what_is_allowed(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(text)
    with pytest.raises(OptionError) as caught:
        resolve_recipe(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"cannot read .*nothing\.toml"):
        resolve_recipe(tmp_path / "nothing.toml")


def test_the_learning_rate_rises_and_drops_twice() -> None:
    recipe = TrainingRecipe(learning_rate=1.0, warmup_steps=10, first_drop=0.5, second_drop=0.8, drop_factor=0.3)
    rates = [recipe.learning_rate_at(step, 200) for step in (0, 4, 9, 99, 100, 159, 160, 199)]
    assert rates == pytest.approx([0.1, 0.5, 1, 1, 0.3, 0.3, 0.09, 0.09])
    assert recipe.learning_rate_at(0, 5) == 1.0
    assert recipe.learning_rate_at(1, 20) == 1.0


def test_steps_use_each_position_so_many_times() -> None:
    assert TrainingRecipe(batch_size=100, reuse=3.0).steps_for(1000) == 30
    assert TrainingRecipe(batch_size=100, reuse=3.0).steps_for(1001) == 31
    assert TrainingRecipe().steps_for(0) == 0


def test_the_recipe_loads_neither_numpy_nor_torch() -> None:
    script = "import sys, miai.cli.train\nassert not {'numpy', 'torch', 'numba'} & set(sys.modules)"
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", script], check=True, cwd=root)
