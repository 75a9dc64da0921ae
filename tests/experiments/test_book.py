"""The book of results: plans are read back from kept runs, and its tables are made from raw results alone."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from miai.cli.experiments import EXPERIMENTS, command
from miai.cli.experiments.catalogue import declared_experiments
from miai.engine.domains.simulated import TESTS
from miai.experiments.book import overview, read_entries, sections
from miai.experiments.catalogue import Account, KeptRun, read_run
from miai.experiments.comparisons import agreement_of
from miai.experiments.coulom import crazy_stone
from miai.experiments.coulom.backup_runs import BackupPlan
from miai.experiments.fernando_muller import accounts
from miai.experiments.fernando_muller.annotation_runs import AnnotationPlan
from miai.experiments.fernando_muller.annotations import (
    AnnotatedPosition,
    legal_actions,
    read_annotations,
    write_annotations,
)
from miai.experiments.fernando_muller.fair_komi import FairKomi
from miai.experiments.fernando_muller.game_samples import SampledGame
from miai.experiments.fernando_muller.mcts_of_policies import MctsReading
from miai.experiments.fernando_muller.oracles import Asked
from miai.experiments.fernando_muller.policy_errors import SEARCHES, ShortSearchPlan
from miai.experiments.fernando_muller.policy_matches import PolicyMatchPlan
from miai.experiments.fernando_muller.published import LINES as POLICY_LINES
from miai.experiments.holden import dominance
from miai.experiments.jones.accounts import _contestant_text, _shorten
from miai.experiments.jones.esprit_matches import LINES, EspritPlan
from miai.experiments.jones.tree_runs import TreePlan, read_contestant
from miai.experiments.jones.tree_subsets import PAPER_SUBSETS, compare_subsets, subset_table, subsets_of
from miai.experiments.li_lim.backup_matches import BackupMatchPlan
from miai.experiments.li_lim.published import LINES as BACKUP_LINES
from miai.experiments.matches.game_rows import GameRow, max_moves, pack_pairs
from miai.experiments.matches.match_lines import MatchLine, MatchLinesPlan
from miai.experiments.running.pieces import check_folder, keep_piece, pack_file, pack_pieces
from miai.experiments.tactics.tactic_runs import TacticPlan, pairs_to_run, positions_to_run

KNOWN = declared_experiments(EXPERIMENTS)


def account_of(run: KeptRun) -> Account:
    (found,) = [one for one in KNOWN if one.recognizes(run.signature)]
    return found.account_of(run)


def kept_run(folder: Path) -> KeptRun:
    run = read_run(folder)
    assert run is not None
    return run


def pack(folder: Path) -> None:
    """Put the pieces of a run into one file."""
    pack_pieces(folder, pack_file(folder))
    shutil.rmtree(folder / "pieces")


def keep_policies(folder: Path, games: int = 8) -> PolicyMatchPlan:
    """Keep made-up games of two lines."""
    plan = PolicyMatchPlan(("no_ad", "only_ad"), "fuego1585_listed", games, 5000, 6.5, "twogtp", MctsReading(), 0)
    check_folder(plan, folder)
    rng = np.random.default_rng(0)
    for piece in range(plan.num_pieces):
        if plan.rows_of(piece):
            moves = np.full((2, max_moves(9)), -1, dtype=np.int16)
            moves[:, :20] = rng.integers(81, size=(2, 20))
            line = np.full(2, piece % len(POLICY_LINES))
            rows = {"line": line, "score": np.array([1.0, 0.0]), "plays_black": np.array([True, False])}
            keep_piece(folder, piece, {"seconds": np.full(2, 900.0), "moves": moves, **rows})
    return plan


def test_a_run_is_read_from_pieces_or_from_their_pack(tmp_path: Path) -> None:
    keep_policies(tmp_path)
    loose = kept_run(tmp_path)
    pack(tmp_path)
    packed = kept_run(tmp_path)
    assert loose.pieces == packed.pieces and loose.hours == packed.hours == 4.0
    for name, values in loose.results.items():
        np.testing.assert_array_equal(values, packed.results[name])
    (tmp_path / "pieces.npz").write_bytes(b"no arrays")
    with pytest.raises(ValueError, match="pieces.npz is not readable"):
        read_run(tmp_path)


def test_a_folder_without_results_is_no_run(tmp_path: Path) -> None:
    assert read_run(tmp_path) is None
    check_folder(TreePlan("C", 16, 10, (read_contestant("esprit", "C"),), 0), tmp_path)
    assert read_run(tmp_path) is None


def test_policies_are_read_back(tmp_path: Path) -> None:
    keep_policies(tmp_path)
    account = account_of(kept_run(tmp_path))
    assert account.command == "miai experiment policies --policy no_ad --policy only_ad --games 8"
    assert account.size == "16 games"
    first, second = account.parts["table 2"]
    assert (first.what, first.printed, first.printed_error, first.ours) == ("`no_ad`", 18.2, 0.9, 50.0)
    assert (second.what, second.printed) == ("`only_ad`", 70.3)
    assert not first.agrees or first.error > 15.0


def test_strengths_are_ours_once_every_line_has_enough_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_policies(tmp_path / "policies")
    (tmp_path / "blunders").mkdir()
    run = KeptRun(tmp_path / "blunders", {}, (), {})
    lines, papers = ("no_ad", "only_ad"), "the paper's strengths"
    told = accounts.strengths_for(run, "fuego1585_listed", lines)
    assert told == ({"no_ad": 18.2, "only_ad": 70.3}, papers), "8 games are few"
    monkeypatch.setattr(accounts, "_ENOUGH_GAMES", 8)
    told = accounts.strengths_for(run, "fuego1585_listed", lines)
    assert told == ({"no_ad": 50.0, "only_ad": 50.0}, "the strengths of `policies`")
    assert accounts.strengths_for(run, "fuego1585_listed", ("no_ad", "no_patt"))[1] == papers, "a line is missing"
    assert accounts.strengths_for(run, "fuego", lines)[1] == papers, "other policies"


def test_lines_with_different_numbers_of_games_have_commands_of_their_own(tmp_path: Path) -> None:
    plan = keep_policies(tmp_path)
    for piece in range(plan.num_pieces)[len(POLICY_LINES) :]:
        if piece % len(POLICY_LINES) == POLICY_LINES.index("only_ad"):
            (tmp_path / "pieces" / f"{piece:06d}.npz").unlink(missing_ok=True)
    assert account_of(kept_run(tmp_path)).command.splitlines() == [
        "miai experiment policies --policy no_ad --games 8",
        "miai experiment policies --policy only_ad --games 2",
    ]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    "text",
    ["esprit", "puct", "puct:c0=1.5", "puct/softmax:simulations=100.0", "esprit:waves=8", "puct/max:fpu=1,batch=4"],
)
def test_a_contestant_of_a_signature_is_the_one_that_ran(test: str, text: str) -> None:
    plan = TreePlan(test, 16, 10, (read_contestant(text, test),), 0)
    (entry,) = plan.signature()["contestants"]
    shown = _shorten(_contestant_text(*entry), test)
    again = TreePlan(test, 16, 10, (read_contestant(shown, test),), 0)
    assert again.signature() == plan.signature()
    assert len(shown) <= len(text)


def test_trees_behind_a_gap_are_left_out(tmp_path: Path) -> None:
    plan = TreePlan("A", 65536, 40, (read_contestant("esprit", "A"),), 0)
    check_folder(plan, tmp_path)
    for piece in (0, 1, 3):
        keep_piece(tmp_path, piece, {"seconds": np.ones(10), "regrets": np.full((10, 1, 17), 0.001 * piece)})
    account = account_of(kept_run(tmp_path))
    assert account.size == "20 trees of 65,536 playouts"
    assert account.parts["figure 3, text"][0].ours == pytest.approx(0.5)
    (tmp_path / "pieces" / "000000.npz").unlink()
    with pytest.raises(ValueError, match="has not its first piece"):
        account_of(kept_run(tmp_path))


def test_table_3_is_compared_number_by_number(tmp_path: Path) -> None:
    plan = TreePlan("A", 65536, 400, (read_contestant("esprit", "A"), read_contestant("puct", "A")), 0)
    regrets = np.zeros((400, 2, 17))
    for name, value, chosen in subsets_of(plan):
        if name == "e_ch":
            spread = np.where(np.arange(chosen.sum()) % 2, 1.5, 0.5)[:, np.newaxis]
            regrets[chosen, :, -1] = spread * np.array(PAPER_SUBSETS[name][value][1:]) / 1000.0
    compared = {one.what: one for one in compare_subsets(plan, regrets)}
    assert len(compared) == 3 * sum(map(len, PAPER_SUBSETS.values())) == 90
    mine = [one for what, one in compared.items() if what.startswith("e_ch")]
    assert all(one.agrees for one in mine) and agreement_of(mine) == "all 12"
    half = compared["e_ch = 0.5, difference"]
    assert half.printed == pytest.approx(1.35) and half.printed_error < half.error
    assert not compare_subsets(TreePlan("B", 65536, 400, plan.contestants, 0), regrets)
    (line,) = [line for line in subset_table(plan, regrets).splitlines() if line.startswith("| e_ch        | 0.5 ")]
    assert "(2.40)" in line and "(3.75)" in line and "(1.35)" in line


def test_the_papers_set_sizes_are_those_of_ten_thousand_trees() -> None:
    for name, rows in PAPER_SUBSETS.items():
        total = sum(size for size, _, _ in rows.values())
        assert total == 10_000 or (name == "t_root" and total == 6039), name


def test_matches_of_esprit_are_read_back(tmp_path: Path) -> None:
    plan = EspritPlan(("quarter-1600",), 4, "miai", "paper", "esprit", 0.5, None, 7.0, 3)
    check_folder(plan, tmp_path)
    place = tuple(LINES).index("quarter-1600")
    for pair in range(2):
        sides = {name: np.full((2, 2), 10.0) for name in ("decisions", "simulations", "evaluations", "thinking")}
        rows = {"line": np.full(2, place), "score": np.array([1.0, 0.5]), "seconds": np.full(2, 60.0)}
        keep_piece(tmp_path, pair * len(LINES) + place, {**rows, **sides})
    account = account_of(kept_run(tmp_path))
    assert account.command == "miai experiment esprit --line quarter-1600 --games 4 --numbers paper --seed 3"
    assert not account.parts, "the paper prints nothing of Go"
    assert "`esprit` 400, `puct` 1,600" in account.table
    pytest.importorskip("matplotlib")
    assert list(account.figures) == ["strength"], "no waves, no speeds"
    account.figures["strength"](path := tmp_path / "strength.svg")
    drawn = path.read_text()
    assert "ESPRIT with a quarter" in drawn and "waves" not in drawn


def test_tactical_positions_are_read_back(tmp_path: Path) -> None:
    plan = TacticPlan(pairs_to_run(("uct", "esprit"), ("mean", "max")), positions_to_run(("hard",)), "fuego", 32, 2)
    check_folder(plan, tmp_path)
    for piece in range(plan.num_pieces):
        right = np.zeros((20, 2), dtype=bool)
        right[: piece + 1] = True
        keep_piece(tmp_path, piece, {"seconds": np.ones(20), "right": right})
    account = account_of(kept_run(tmp_path))
    rules = "--select uct --select esprit --backup mean --backup max"
    assert account.command == f"miai experiment tactics --position hard {rules} --simulations 32 --seeds 2"
    assert account.size == "20 positions, 4 pairs of rules, 2 seeds"
    assert "esprit/max" in account.table and not account.parts


def test_a_run_without_a_result_yet_is_left_out_if_somebody_is_told(tmp_path: Path) -> None:
    keep_policies(tmp_path / "policies")
    plan = TacticPlan(pairs_to_run(("uct", "esprit"), ("mean", "max")), positions_to_run(("hard",)), "fuego", 32, 2)
    check_folder(plan, tmp_path / "tactics")
    keep_piece(tmp_path / "tactics", 0, {"seconds": np.ones(20), "right": np.ones((20, 2), dtype=bool)})
    told: list[str] = []
    assert [entry.name for entry in read_entries(KNOWN, tmp_path, told.append)] == ["policies"]
    assert len(told) == 1 and told[0].startswith("tactics: ") and "first seed" in told[0]
    with pytest.raises(ValueError, match="first seed"):
        read_entries(KNOWN, tmp_path)


def test_another_reading_of_the_backups_is_read_back(tmp_path: Path) -> None:
    plan = BackupPlan(5, 128, 200, 0, (("crazystone.internal_at", 16), ("mix.weight", 2.5)))
    check_folder(plan, tmp_path)
    keep_piece(tmp_path, 0, {"seconds": np.ones(5), "errors": np.ones((5, 1, 4))})
    wanted = (
        "miai experiment backups --positions 5 --simulations 128 --set crazystone.internal_at=16 --set mix.weight=2.5"
    )
    assert account_of(kept_run(tmp_path)).command == wanted


def test_tiny_runs_of_experiments_make_the_book(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    kept = tmp_path / "kept"
    for name, *words in (
        ("small-trees", "trees", "--test", "C", "--trees", "12", "--playouts", "16"),
        ("small-backups", "backups", "--positions", "2", "--simulations", "128", "--game-simulations", "2"),
    ):
        words += ["--parallel", "1", "--output", str(kept / name)]
        result = CliRunner().invoke(command, words)
        assert result.exit_code == 0, result.output
    keep_policies(kept / "policies")
    pack(kept / "policies")
    entries = read_entries(KNOWN, kept)
    assert [entry.name for entry in entries] == ["small-backups", "policies", "small-trees"], "by paper"
    table = overview(entries, [one for one in KNOWN if one.name == "esprit"], {"esprit": 12.0})
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    assert [line[0] for line in lines] == sorted(line[0] for line in lines)
    (missing,) = [line for line in lines if line[4] == "not run"]
    assert missing[6:] == ["full size: 4,400 games", "12.0 for the full size", "`miai experiment esprit --games 400`"]
    (trees,) = [line for line in lines if line[1] == "figure 5, text"]
    assert trees[2] == "small-trees" and trees[8] == "`miai experiment trees --test C --playouts 16 --trees 12`"
    assert trees[6] == "12 trees of 16 playouts; full size: 4,000 trees"
    (backups,) = [line for line in lines if line[1] == "slide Results"]
    assert backups[3] == "mean at 128, rms: 6.44" and " of 8" in backups[5]
    told = sections(entries, lambda entry: [f"![{name}]" for name in entry.account.figures])
    assert "### small-trees\n\nJones 2021. 12 trees of 16 playouts" in told and "![errors]" in told
    for entry in entries:
        for name, draw in entry.account.figures.items():
            draw(path := tmp_path / f"{entry.name}-{name}.svg")
            assert "#ffffff" not in path.read_text(), "readable on white and on black"


def keep_fair_komi(folder: Path, asked: Asked, loss: float = 1.0) -> None:
    """Keep a position that an oracle annotated: whatever is played loses so many points."""
    moves = b"".join(b";%s[%c%c]" % (b"BW"[i % 2 : i % 2 + 1], 97 + i % 9, 97 + i // 9) for i in range(20))
    game = SampledGame("1.sgf", 1, 20, b"(;GM[1]FF[4]SZ[9]KM[7]" + moves + b")")
    check_folder(AnnotationPlan((game,), "digest", asked.choose(), asked, 3), folder)
    position = game.position()
    after = np.full((82, 3), np.nan)
    after[legal_actions(position)] = 6.0 - loss
    annotated = AnnotatedPosition("1.sgf", 1, position, FairKomi(6.0, 5.0, 7.0), after)
    write_annotations([annotated], {}, folder)
    keep_piece(folder, 0, {"seconds": np.ones(1), "value": np.zeros((1, 3))})


def test_annotated_positions_are_read_back_with_what_their_oracle_was(tmp_path: Path) -> None:
    keep_fair_komi(tmp_path / "search", Asked(None, "fuego", 300, MctsReading("learned", without=("rave",))))
    account = account_of(kept_run(tmp_path / "search"))
    wanted = "--positions 1 --simulations 300 --seed 3 --base fuego --prior learned --without rave --from GAMES"
    assert account.command == f"miai experiment fair-komi {wanted}" and set(account.parts) == {"table 4"}
    keep_fair_komi(tmp_path / "other", Asked("uct:simulations=40,policy=fuego", "fuego1585", 5000, MctsReading()))
    other = account_of(kept_run(tmp_path / "other"))
    wanted = "--positions 1 --oracle uct:simulations=40,policy=fuego --seed 3 --from GAMES"
    assert other.command == f"miai experiment fair-komi {wanted}"
    assert not other.parts and "The oracle is `uct:simulations=40,policy=fuego`" in other.table


def test_questions_beyond_the_paper_are_answered_by_what_is_kept_beside_a_run(tmp_path: Path) -> None:
    run = tmp_path / "search"
    keep_fair_komi(run, Asked(None, "fuego1585", 300, MctsReading()))
    assert set(account_of(kept_run(run)).answers) == {"phases"}
    plan = ShortSearchPlan(
        tuple(read_annotations(run)), ("fuego1585", "fuego1585_random"), (1, 8), "digest", MctsReading(), 0
    )
    keep_piece(run / SEARCHES / plan.name, 0, {"seconds": np.ones(1), **plan.run_piece(0)})
    check_folder(plan, run / SEARCHES / plan.name)
    keep_fair_komi(tmp_path / "other", Asked("uct:simulations=40", "fuego1585", 5000, MctsReading()), loss=3.0)
    answers = account_of(kept_run(run)).answers
    assert set(answers) == {"phases", "searches", "oracles"}
    assert "first 24 moves (1)" in answers["phases"]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in answers["searches"].splitlines()[2:]]
    assert [row[:2] for row in rows[:2]] == [["points lost", "`F`"], ["points lost", "`R`"]]
    assert {cell for row in rows[:2] for cell in row[2:]} == {"1.00"}
    assert "The other oracle is `uct:simulations=40`" in answers["oracles"] and "-2.00" in answers["oracles"]
    told = account_of(kept_run(tmp_path / "other")).answers["oracles"]
    assert "The other oracle is `MCTS(F)`" in told and "+2.00" in told


def test_a_kept_run_of_nothing_known_is_named(tmp_path: Path) -> None:
    keep_policies(tmp_path / "odd")
    (tmp_path / "odd" / "plan.json").write_text('{"experiment": "cards"}')
    with pytest.raises(ValueError, match="odd holds no known experiment"):
        read_entries(KNOWN, tmp_path)


def test_matches_of_backup_rules_are_read_back(tmp_path: Path) -> None:
    net = tmp_path / "own.safetensors"
    net.write_bytes(b"weights")
    lines = BACKUP_LINES[9]
    chosen = ("coulom-2-16:standard", "softmax-1:standard")
    plan = BackupMatchPlan(
        size=9, lines=chosen, net=str(net), backend="torch", games=4, simulations=50, visits=50, values="signed",
        erwa="erwa-normalized", parameters=(("puct.fpu", 3),), komi=6.5, resign_below=0.0, counting="pairs",
        together=2, seed=0,
    )  # fmt: skip
    check_folder(plan, tmp_path)
    for line in chosen:
        rows = pack_pairs([GameRow(score, [1, 2]) for score in (1.0, 0.0, 1.0, 1.0)], 9)
        place = lines.index(line)
        keep_piece(tmp_path, place, {"line": np.full(4, place), "seconds": np.full(4, 60.0), **rows})
    account = account_of(kept_run(tmp_path))
    assert account.command == (
        "miai experiment backups-go --line coulom-2-16:standard --line softmax-1:standard --games 4 "
        "--net own.safetensors --simulations 50 --values signed --set puct.fpu=3 --komi 6.5 --resign-below 0 "
        "--net-backend torch --together 2"
    )
    assert {part: [one.printed for one in found] for part, found in account.parts.items()} == {
        "table 1, 9x9": [44.9],
        "table 4, 9x9": [56.3],
    }
    assert all(one.ours == 75.0 for found in account.parts.values() for one in found)


@pytest.mark.parametrize(
    ("lines", "command"),
    [
        (
            crazy_stone.make_lines("gnugo --level 1", 7.5, 300, 64),
            "crazy-stone --line 2006-4 --games 2 --simulations 300",
        ),
        (dominance.make_lines(50, 0.1, "net", 7.0, 128), "dominance --line puct --games 2 --simulations 50"),
    ],
    ids=["crazy-stone", "dominance"],
)
def test_match_lines_are_read_back(tmp_path: Path, lines: tuple[MatchLine, ...], command: str) -> None:
    pytest.importorskip("matplotlib")
    chosen = command.split()[2]
    name = command.split()[0]
    plan = MatchLinesPlan(name, lines, (chosen,), 2, "tromp-taylor", "twogtp", 0)
    check_folder(plan, tmp_path)
    (piece,) = [piece for piece in range(plan.num_pieces) if plan.rows_of(piece)]
    place, _ = plan.place_of(piece)
    moves = np.full((2, 243), -1, dtype=np.int16)
    moves[:, :2] = [[1, 2], [3, 4]]
    sides = {
        f"{kind}_{side}": np.full(2, 8.0) for kind in ("moves", "seconds", "counted", "simulations") for side in "AB"
    }
    rows = {
        "line": np.full(2, place), "score": np.array([1.0, 0.5]), "plays_black": np.array([True, False]),
        "ending": np.array(["score", "score"]), "failed": np.array(["", ""]), "reason": np.array(["", ""]),
        "length": np.full(2, 2), "moves": moves, "seconds": np.full(2, 16.0), **sides,
    }  # fmt: skip
    keep_piece(tmp_path, piece, rows)
    account = account_of(kept_run(tmp_path))
    assert account.command.startswith(f"miai experiment {command}"), account.command
    assert "75.0" in account.table
    for draw in account.figures.values():
        draw(tmp_path / "figure.svg")
        assert (tmp_path / "figure.svg").stat().st_size > 1000
    if name == "crazy-stone":
        assert account.parts["table 2"][0].printed == 25.0 and "--opponent 'gnugo --level 1'" in account.command
        assert "--memory 64" in account.command
    else:
        assert "--seconds 0.1 --evaluator net" in account.command
