"""Number of forced cards: the share of each variant's plays that leave no choice, and are not asked."""

from __future__ import annotations

import argparse
import asyncio

from benchmarks.report import show
from ladder.matches.inline import play_inline
from ladder.sandbox.bots.bot_source import find_bot
from pigpen.rules import PRESETS, Rules, seed_from
from referee.match.formats import Format, MatchSpec
from referee.records.lines import AnyLine, DealLine
from referee.records.steps import BY_FORCED

DEALS = 100
SEED = "forced cards"


def forced_and_played(rules: Rules, bot: str, deals: int) -> tuple[int, int]:
    """Count the cards that are forced, and those that are played, in *deals* deals with one sample bot in all seats."""
    lines: list[AnyLine] = []
    names = tuple(f"{bot}{seat}" for seat in range(rules.players))
    spec = MatchSpec(rules, names, Format(deals), seed=seed_from(SEED))
    asyncio.run(play_inline(spec, [find_bot(bot)] * rules.players, lines.append))
    plays = [step.by for line in lines if isinstance(line, DealLine) for step in line.steps if step.play]
    return plays.count(BY_FORCED), len(plays)


def main(deals: int, bot: str) -> None:
    """Measure and print."""
    found = {name: forced_and_played(rules, bot, deals) for name, rules in PRESETS.items()}
    forced, played = (sum(counts) for counts in zip(*found.values(), strict=True))
    found["all"] = forced, played
    rows = [[name, f"{played:,}", f"{forced:,}", f"{forced / played:.1%}"] for name, (forced, played) in found.items()]
    show(f"Forced cards: {deals} deals of each variant, all seats {bot}", ("", "cards", "forced", "share"), rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--bot", default="counting")
    arguments = parser.parse_args()
    main(arguments.deals, arguments.bot)
