"""What kept runs of tactical positions came to, for the book: their plan read back."""

from dataclasses import replace

from miai.experiments.catalogue import Account, KeptRun, command_line


def account_of_tactics(run: KeptRun) -> Account:
    """Return what the searches of tactical positions came to."""

    from miai.experiments.tactics.tactic_report import set_report
    from miai.experiments.tactics.tactic_runs import POSITION_SETS, RulePair, TacticPlan, pairs_to_run, positions_to_run

    signature = run.signature
    pairs = tuple(RulePair(select, backup) for select, backup in signature["pairs"])
    positions = positions_to_run([row[0] for row in signature["positions"]])
    simulations = int(signature["simulations"])
    num_seeds = run.num_leading() // len(pairs)
    if num_seeds == 0:
        raise ValueError(f"{run.folder} has not all pairs of its first seed")
    plan = TacticPlan(pairs, positions, str(signature["policy"]), simulations, num_seeds)
    right = run.results["right"].reshape(-1, len(positions), len(plan.checkpoints))[: num_seeds * len(pairs)]
    right = right.reshape(num_seeds, len(pairs), len(positions), len(plan.checkpoints))
    sets = {
        name: [place for place, one in enumerate(positions) if one in there] for name, there in POSITION_SETS.items()
    }
    tables = [
        set_report(replace(plan, positions=tuple(positions[place] for place in places)), right[:, :, places], name)
        for name, places in sets.items()
        if places
    ]
    whole = [name for name, places in sets.items() if len(places) == len(POSITION_SETS[name])]
    single = [one.name for one in positions if not any(one in POSITION_SETS[name] for name in whole)]
    selects, backups = (tuple(dict.fromkeys(names)) for names in zip(*signature["pairs"], strict=True))
    options: dict[str, tuple[object, object]] = {
        "--position": (tuple(whole + single) if len(whole) < len(sets) else (), ()),
        "--select": (() if pairs == pairs_to_run((), backups) else selects, ()),
        "--backup": (() if pairs == pairs_to_run(selects, ()) else backups, ()),
        "--policy": (plan.policy, "fuego"),
        "--simulations": (simulations, 16384),
        "--seeds": (num_seeds, 3),
    }
    size = f"{len(positions)} positions, {len(pairs)} pairs of rules, {num_seeds} seed{'s' * (num_seeds > 1)}"
    return Account(
        command_line("tactics", options), size, {}, "\n".join(tables).replace("## Positions", "#### Positions").strip()
    )
