"""Every command by its name, as `pigpen --help` shows them: where it is, to import no other one, and what it does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A command, or a group of commands, that is imported when it runs."""

    place: str
    """The module and the name there of its function or typer app."""
    help: str
    """The first paragraph of its help."""


PANELS = {
    "Write a bot": {
        "new": Command("ladder.cli.play.new:new", "Make a folder with a bot that can already play."),
        "play": Command("ladder.cli.play.play:play", "Let bots play a match on this machine, and show the result."),
        "check": Command(
            "ladder.cli.play.check:check",
            "Run a bot through all cases that a submission must pass: exit code 0 if it passes all, "
            "1 if it fails some.",
        ),
        "lock": Command(
            "ladder.cli.play.new:lock",
            "Resolve the packages of a bot's requirements.txt again, and write a requirements.lock beside it.",
        ),
        "compare": Command(
            "ladder.cli.play.compare:compare_bots",
            "Find out whether a new version of a bot is better than the old one.",
        ),
        "duel": Command(
            "ladder.cli.play.duel:duel",
            "Measure by how many points a deal a bot is better than another one.",
        ),
        "rules": Command(
            "ladder.cli.play.rules:rules",
            "Show a variant in words and as TOML; without a name, list the presets.",
        ),
        "submit": Command(
            "ladder.cli.submit.submit:submit",
            "Try a bot and enter it in the ladder: exit code 0 if it is entered, 1 if it failed.",
        ),
        "submissions": Command(
            "ladder.cli.submit.submit:submissions",
            "List your submissions, with their progress and results.",
        ),
    },
    "Look into a match": {
        "replay": Command(
            "ladder.cli.replay.replay:replay",
            "Show a recorded match: on a terminal card by card with the arrow keys, otherwise as text.",
        ),
        "why": Command(
            "ladder.cli.replay.why:why",
            "Estimate the value of each choice of a decision, or list the costliest decisions of a bot.",
        ),
        "rerun": Command(
            "ladder.cli.play.rerun:rerun",
            "Ask another bot the questions that a recorded bot was asked, and list the decisions that differ.",
        ),
        "verify": Command(
            "ladder.cli.replay.verify:verify_records",
            "Check records: deal again from the seed, play every action again, and count again.",
        ),
        "explain": Command(
            "ladder.cli.results.matches:explain",
            "Explain the rating changes of a match: the expected and the actual score of each bot against each other.",
        ),
        "logs": Command(
            "ladder.cli.results.logs:logs",
            "Show the end of what a bot printed in a match, rotation by rotation, and its faults there.",
        ),
    },
    "Follow a ladder": {
        "standings": Command(
            "ladder.cli.results.standings:standings",
            "Show the standings: for each variant a table of its bots in the order of their ratings.",
        ),
        "bots": Command(
            "ladder.cli.results.bots:bots",
            "List every bot of the ladder: its owner, its newest version, and where it plays.",
        ),
        "show": Command(
            "ladder.cli.results.show:show",
            "Show a bot: its versions, its standings, its results against each opponent, its think times, its faults.",
        ),
        "matches": Command(
            "ladder.cli.results.matches:matches",
            "List matches: those that are being played, and the newest results with places and rating changes.",
        ),
        "table": Command(
            "ladder.people.commands.table:table",
            "Open a table for people, and print a link for each person's chair; the first one is yours.",
        ),
    },
    "A remote ladder": {
        "login": Command(
            "ladder.cli.accounts.login:login",
            "Log in to a remote ladder. The command shows an address and a code; confirm the code there in a browser.",
        ),
        "logout": Command(
            "ladder.cli.accounts.login:logout",
            "Log out: the token is revoked, and removed from this machine.",
        ),
        "whoami": Command(
            "ladder.cli.accounts.login:whoami",
            "Show to which ladder you are logged in, as whom, and which bots are yours there.",
        ),
        "push": Command(
            "ladder.cli.submit.remote:push",
            "Push an image to the registry of the ladder to which you have logged in, and print its name there.",
        ),
    },
    "Run a ladder": {
        "up": Command(
            "ladder.cli.organise.serve:up",
            "Run a whole ladder on this machine: web site, matches, tables, estimates. "
            "A process that dies is restarted.",
        ),
        "serve": Command(
            "ladder.cli.organise.serve:serve",
            "Serve the web site of the ladder: standings, bots, matches, replays, and an API. Ctrl-C ends it.",
        ),
        "worker": Command(
            "ladder.cli.organise.worker:worker",
            "Play matches of a ladder on this machine, for a coordinator on another one (pigpen ladder run --cluster).",
        ),
        "allow-people": Command(
            "ladder.people.commands.table:allow_people",
            "Let people play with a bot at their tables. These games are not rated.",
        ),
        "retire": Command(
            "ladder.cli.results.bots:retire",
            "Schedule no more matches for a bot. Its ratings and matches stay; submit it again to bring it back.",
        ),
        "suspend": Command(
            "ladder.cli.organise.suspend:suspend",
            "Schedule no more matches for a bot, until pigpen resume-bot. Its rating is kept.",
        ),
        "resume-bot": Command(
            "ladder.cli.organise.suspend:resume_bot",
            "Let a suspended bot play again. It does not matter who suspended it, an organiser or the coordinator.",
        ),
        "doctor": Command(
            "ladder.cli.organise.doctor:doctor",
            "Check this machine: what it offers to a ladder, and which protections between bots work here.",
        ),
        "config": Command(
            "ladder.cli.organise.db:config",
            "Show the ladder's settings: from pigpen.toml in this folder, and from the environment, "
            "which takes precedence.",
        ),
        "ladder": Command(
            "ladder.cli.organise.run:ladder_app",
            "Run the ladder: schedule matches, play them, rate the bots.",
        ),
        "event": Command(
            "ladder.cli.event.event_commands:event",
            "Describe an event in a file, check and simulate it; hold it on a ladder; verify how it was held.",
        ),
        "cluster": Command(
            "ladder.cli.organise.cluster:cluster",
            "See the workers on other machines, and decide which of them play.",
        ),
        "account": Command(
            "ladder.cli.accounts.account_commands:account",
            "Make accounts, invite, disable, rename, delete, set quotas, and see who did what.",
        ),
        "db": Command("ladder.cli.organise.db:db", "Upgrade, check, back up or move the ladder's database."),
    },
}
COMMANDS = {name: command for panel in PANELS.values() for name, command in panel.items()}
