"""`deeprepo trace`: a journal as a tree in the terminal: turns, calls, children, coverage, money."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.exits import CLEAN, tell

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

    from bot.journal.reader import Record, Section

WIDE = 200  # columns where nobody's terminal sets a limit
SHOWN = 100  # characters of a line of code, an error, a prompt
ROLES = (("root", "root"), ("worker", "workers"), ("pairs", "pairs"), ("verify", "second opinions"))
Row = dict[str, Any]


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A journal or a trace of `deeprepo review`.")],
    calls: Annotated[bool, typer.Option("--calls", help="Every call on its own line.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Every review in the file, not only the last one.")] = False,
) -> int:
    """Show what a recorded review did, turn by turn, and what each part of it cost.

    Exit codes: 0, or 2 if FILE is not a journal.
    """
    from rich.console import Console

    from bot.journal import reader

    recorded, sections = reader.reviews(file)
    console = Console(width=None if sys.stdout.isatty() else WIDE)
    for section in sections if every else sections[-1:]:
        console.print(tree(recorded, section, calls=calls))
    if len(sections) > 1 and not every:
        tell(f"{len(sections) - 1} earlier reviews in this file: --all shows them")
    return CLEAN


def tree(recorded: "Record", section: "Section", *, calls: bool) -> "Tree":
    """One review."""
    from rich.tree import Tree

    start, plan = section.start or {}, section.strategy
    pull = start["pull"]
    top = Tree(_words(("deeprepo ", "bold cyan"), (start["version"], "dim"), f"  {pull['title']}"))
    top.add(_words((f"{pull['base_name']}..{pull['head_name']}  {pull['base'][:10]}..{pull['head'][:10]}", "dim")))
    top.add(_words(("models  ", "dim"), f"root {start['root'] or 'none'}, worker {start['worker'] or 'none'}"))
    if plan:
        top.add(_words(("strategy  ", "dim"), (plan["name"], "bold"), f"  {plan['reason']}"))
    _phase(recorded, top, section, "workers, outside the root's turns", "", {"worker", "root"}, calls=calls)
    _phase(recorded, top, section, "pairs", None, {"pairs"}, calls=calls)
    turns = sorted(section.turns.values(), key=section.rows.index)
    for run in dict.fromkeys(row["run"].partition(".")[0] for row in turns):
        _run(recorded, top, section, run, turns, calls=calls)
    _phase(recorded, top, section, "second opinions", None, {"verify"}, calls=calls)
    _lost(top, section)
    _end(top, section)
    return top


def _run(recorded: "Record", above: "Tree", section: "Section", run: str, turns: list[Row], *, calls: bool) -> None:
    """A run with its turns. A child's run stands below the turn that started it, whose line was written after the child's."""
    branch = above.add(_words((run, "bold"), ("  child" if "." in run else "", "dim")))
    below = f"{run}."
    children: list[str] = []
    for row in turns:
        if row["run"] == run:
            place = _turn(recorded, branch, section, row, calls=calls)
            for child in dict.fromkeys(children):
                _run(recorded, place, section, child, turns, calls=calls)
            children = []
        elif row["run"].startswith(below):
            children.append(below + row["run"].removeprefix(below).partition(".")[0])
    for child in dict.fromkeys(children):  # its parent's turn was cut off
        _run(recorded, branch, section, child, turns, calls=calls)


def _turn(recorded: "Record", above: "Tree", section: "Section", row: Row, *, calls: bool) -> "Tree":
    """A turn below its run, with the calls that its block made."""
    at = f"{row['run']}:{row['number']}"
    made = [call for call in _calls(section, at) if call["role"] == "root"]
    head = _words(
        (f"turn {row['number']}", "bold"), ("  " + _spent(made), "dim"), (f"  block {row['seconds']:.1f} s", "dim")
    )
    branch = above.add(head)
    for line in _lines(row["said"], 1):
        branch.add(_words((line, "italic")))
    for line in _lines(row["code"], 3):
        branch.add(_words((line, "green")))
    if row["error"]:
        branch.add(_words((f"{row['outcome']}  ", "red"), (_lines(row["error"], -1) or [""])[0]))
    elif row["output"]:
        branch.add(
            _words(
                ("-> ", "dim"), (_lines(row["output"], 1) or [""])[0], (f"  {len(row['output']):,} characters", "dim")
            )
        )
    _phase(recorded, branch, section, "asked", at, {"worker"}, calls=calls)
    for used in (each for each in section.rows if each["kind"] == "tool" and each["at"] == at):
        told = used.get("error") or repr(used["result"])
        words = f"{used['name']}  {used['arguments'][:SHOWN]}", (" -> ", "dim"), (_lines(told, 1) or [""])[0]
        branch.add(_words(("tool  ", "dim"), *words))
    return branch


def _phase(
    recorded: "Record", branch: "Tree", section: "Section", title: str, at: str | None, roles: set[str], *, calls: bool
) -> None:
    """The calls of one place, summed up, and one by one where that is wanted."""
    from bot.render import count

    made = [call for call in _calls(section, at) if call["role"] in roles]
    known = [
        row for row in section.rows if row["kind"] == "reused" and at in {None, row["at"]} and row["role"] in roles
    ]
    if known:
        branch.add(_words((f"{title}  ", ""), (f"{count(len(known), 'call')} that an earlier run had paid", "dim")))
    if not made:
        return
    below = branch.add(_words((f"{title}  ", ""), (_spent(made), "dim")))
    failed = [call for call in made if "error" in call]
    for call in made if calls else failed:
        below.add(_call(recorded, section, call))


def _call(recorded: "Record", section: "Section", call: Row) -> "Text":
    from bot.render import line

    asked = next((r for r in section.requests if r["key"] == call["key"] and r["messages"]), None)
    text = recorded.messages.get(asked["messages"][-1], {}).get("text", "") if asked else ""
    first = (_lines(text, 1) or [""])[0]
    if "error" in call:
        return _words((f"{call['model']}  ", ""), (line(call["error"])[:SHOWN], "red"))
    said = (_lines(call["reply"]["text"], 1) or ["a call of its tool"])[0]
    return _words((f"{call['model']}  ", ""), (f"{_spent([call])}  ", "dim"), f"{first}", (" -> ", "dim"), said)


def _lost(top: "Tree", section: "Section") -> None:
    """Requests that were in flight when the process ended, and last words on requests without a reply."""
    sent = len(section.requests) - sum(1 for row in section.rows if row["kind"] == "call")
    if sent:
        top.add(_words((f"{sent} requests were in flight when a run was killed", "yellow")))
    for sentence in dict.fromkeys(row["text"] for row in section.rows if row["kind"] == "failed"):
        top.add(_words(("not answered  ", "yellow"), sentence[: 2 * SHOWN]))


def _end(top: "Tree", section: "Section") -> None:
    from bot.journal import replay_diff
    from bot.render import count

    if section.end is None:
        top.add(_words((f"unfinished: {replay_diff.unfinished(section)}", "yellow")))
        return
    done = section.end
    if "answer" not in done:
        _covered(top, done)
    money = top.add(_words(("money", "bold"), ("  " + _total(done["cost"], done["seconds"]), "dim")))
    for role, name in ROLES:
        made = [row for row in section.rows if row["kind"] == "call" and row["role"] == role]
        if made:
            money.add(_words((f"{name}  ", "dim"), _spent(made)))
    for text in _lines(done.get("answer", ""), 3):  # of a question about a text
        top.add(_words(("answer  ", "bold"), text))
    found = top.add(_words((count(len(done["findings"]), "finding"), "bold"))) if "answer" not in done else top
    for row in done["findings"]:
        found.add(
            _words(
                (f"{row['severity']}  ", "bold"),
                f"{row['path']}:{row['start']}  {row['title']}",
                (f"  {row['verdict']}", "dim"),
            )
        )
    if done["fault"]:
        top.add(_words((f"ended by a fault: {done['fault']}", "red")))


def _covered(top: "Tree", done: Row) -> None:
    read = top.add(_words(("coverage", "bold")))
    for kind, name in (("unit", "changed code"), ("use", "uses of what changed"), ("dependent", "dependent files")):
        counts = done["coverage"].get(kind, {})  # an older journal counts no uses
        shown = ", ".join(f"{number} {state}" for state, number in counts.items() if number) or "none"
        read.add(_words((f"{name}  ", "dim"), (shown, "yellow" if counts.get("unread") else "")))


def _calls(section: "Section", at: str | None) -> list[Row]:
    return [row for row in section.rows if row["kind"] == "call" and at in {None, row["at"]}]


def _spent(made: list[Row]) -> str:
    """Calls, tokens, dollars and the seconds that they took one after the other."""
    import math

    from bot.render import count

    good = [row for row in made if "reply" in row]
    unknown = any(row["usd"] is None for row in good)
    usd = "price unknown" if unknown else f"${math.fsum(row['usd'] for row in good):.4f}"
    tokens = f"{sum(row['usage'][0] for row in good):,} in, {sum(row['usage'][1] for row in good):,} out"
    failed = f", {len(made) - len(good)} failed" if len(good) < len(made) else ""
    return f"{count(len(made), 'call')}{failed}, {tokens}, {usd}, {sum(row['seconds'] for row in made):.1f} s"


def _total(cost: Row, seconds: float) -> str:
    from bot.outputs import facts
    from bot.values import Cost, Usage

    known = {name: value for name, value in cost.items() if name in Cost.__dataclass_fields__}
    return facts.cost(Cost(**{**known, "usage": Usage(**cost["usage"]), "models": ()}), seconds)


def _lines(text: str, most: int) -> list[str]:
    """The first lines that say something (the last ones, where `most` is negative), made harmless for a terminal."""
    from bot.render import line

    rows = [line(row)[:SHOWN] for row in (text or "").split("\n") if row.strip()]
    shown = rows[:most] if most > 0 else rows[most:]
    return [*shown, f"... {len(rows) - most} more lines"] if 1 < most < len(rows) else shown


def _words(*parts: str | tuple[str, str]) -> "Text":
    from rich.text import Text

    from bot.render import visible

    return Text.assemble(*(visible(p) if isinstance(p, str) else (visible(p[0]), p[1]) for p in parts), overflow="fold")
