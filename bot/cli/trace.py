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

    record, sections = reader.reviews(file)
    console = Console(width=None if sys.stdout.isatty() else WIDE)
    for section in sections if every else sections[-1:]:
        console.print(tree(record, section, calls=calls))
    if len(sections) > 1 and not every:
        tell(f"{len(sections) - 1} earlier reviews in this file: --all shows them")
    return CLEAN


def tree(record: "Record", section: "Section", *, calls: bool) -> "Tree":
    """One review."""
    from rich.tree import Tree

    start, plan = section.start or {}, next(reversed(section.of("strategy")), None)
    pull = start["pull"]
    top = Tree(_words(("deeprepo ", "bold cyan"), (start["version"], "dim"), f"  {pull['title']}"))
    top.add(_words((f"{pull['base_name']}..{pull['head_name']}  {pull['base'][:10]}..{pull['head'][:10]}", "dim")))
    top.add(_words(("models  ", "dim"), f"root {start['root'] or 'none'}, worker {start['worker'] or 'none'}"))
    if plan:
        top.add(_words(("strategy  ", "dim"), (plan["name"], "bold"), f"  {plan['reason']}"))
    _phase(record, top, section, "workers, outside the root's turns", "", {"worker", "root"}, calls=calls)
    _phase(record, top, section, "pairs", None, {"pairs"}, calls=calls)
    turns = section.turns
    for run in dict.fromkeys(row["run"].partition(".")[0] for row in turns):
        _run(record, top, section, run, turns, calls=calls)
    _phase(record, top, section, "second opinions", None, {"verify"}, calls=calls)
    _losses(top, section)
    _end(top, section)
    return top


def _run(record: "Record", above: "Tree", section: "Section", run: str, turns: list[Row], *, calls: bool) -> None:
    """A run with its turns. A child's run stands below the turn that started it, whose line was written after the child's."""
    branch = above.add(_words((run, "bold"), ("  child" if "." in run else "", "dim")))
    below = f"{run}."
    children: list[str] = []
    for row in turns:
        if row["run"] == run:
            place = _turn(record, branch, section, row, calls=calls)
            for child in dict.fromkeys(children):
                _run(record, place, section, child, turns, calls=calls)
            children = []
        elif row["run"].startswith(below):
            children.append(below + row["run"].removeprefix(below).partition(".")[0])
    for child in dict.fromkeys(children):  # its parent's turn was cut off
        _run(record, branch, section, child, turns, calls=calls)


def _turn(record: "Record", above: "Tree", section: "Section", row: Row, *, calls: bool) -> "Tree":
    """A turn below its run, with the calls that its block made."""
    at = f"{row['run']}:{row['number']}"
    turn_calls = [call for call in _calls(section, at) if call["role"] == "root"]
    head = _words(
        (f"turn {row['number']}", "bold"),
        ("  " + _totals(turn_calls), "dim"),
        (f"  block {row['seconds']:.1f} s", "dim"),
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
    _phase(record, branch, section, "asked", at, {"worker"}, calls=calls)
    for tool_call in (each for each in section.of("tool") if each["at"] == at):
        result = tool_call.get("error") or repr(tool_call["result"])
        words = (
            f"{tool_call['name']}  {tool_call['arguments'][:SHOWN]}",
            (" -> ", "dim"),
            (_lines(result, 1) or [""])[0],
        )
        branch.add(_words(("tool  ", "dim"), *words))
    return branch


def _phase(
    record: "Record", branch: "Tree", section: "Section", title: str, at: str | None, roles: set[str], *, calls: bool
) -> None:
    """The calls of one place, summed up, and one by one where that is wanted."""
    phase_calls = [call for call in _calls(section, at) if call["role"] in roles]
    if not phase_calls:
        return
    below = branch.add(_words((f"{title}  ", ""), (_totals(phase_calls), "dim")))
    failures = [call for call in phase_calls if "error" in call]
    for call in phase_calls if calls else failures:
        below.add(_call(record, section, call))


def _call(record: "Record", section: "Section", call: Row) -> "Text":
    from bot.render import line

    request = next((r for r in section.of("request") if r["key"] == call["key"] and r["messages"]), None)
    text = record.messages.get(request["messages"][-1], {}).get("text", "") if request else ""
    first = (_lines(text, 1) or [""])[0]
    if "error" in call:
        return _words((f"{call['model']}  ", ""), (line(call["error"])[:SHOWN], "red"))
    first_line = (_lines(call["reply"]["text"], 1) or ["a call of its tool"])[0]
    return _words((f"{call['model']}  ", ""), (f"{_totals([call])}  ", "dim"), f"{first}", (" -> ", "dim"), first_line)


def _losses(top: "Tree", section: "Section") -> None:
    """Requests that were in flight when the process ended, and last words on requests without a reply."""
    in_flight = len(section.of("request")) - len(section.of("call"))
    if in_flight:
        top.add(_words((f"{in_flight} requests were in flight when a run was killed", "yellow")))
    for sentence in dict.fromkeys(row["text"] for row in section.of("failed")):
        top.add(_words(("not answered  ", "yellow"), sentence[: 2 * SHOWN]))


def _end(top: "Tree", section: "Section") -> None:
    from bot.journal import reader
    from bot.render import count

    if section.end is None:
        top.add(_words((f"unfinished: {reader.without_end(section)}", "yellow")))
        return
    end = section.end
    if "answer" not in end:
        _coverage(top, end)
    money = top.add(_words(("money", "bold"), ("  " + _total(end["cost"], end["seconds"]), "dim")))
    for role, name in ROLES:
        role_calls = [row for row in section.of("call") if row["role"] == role]
        if role_calls:
            money.add(_words((f"{name}  ", "dim"), _totals(role_calls)))
    for text in _lines(end.get("answer", ""), 3):  # of a question about a text
        top.add(_words(("answer  ", "bold"), text))
    branch = top.add(_words((count(len(end["findings"]), "finding"), "bold"))) if "answer" not in end else top
    for row in end["findings"]:
        branch.add(
            _words(
                (f"{row['severity']}  ", "bold"),
                f"{row['path']}:{row['start']}  {row['title']}",
                (f"  {row['verdict']}", "dim"),
            )
        )
    if end["fault"]:
        top.add(_words((f"ended by a fault: {end['fault']}", "red")))


def _coverage(top: "Tree", end: Row) -> None:
    read = top.add(_words(("coverage", "bold")))
    for kind, name in (("unit", "changed code"), ("use", "uses of what changed"), ("dependent", "dependent files")):
        counts = end["coverage"].get(kind, {})
        counts_text = ", ".join(f"{number} {state}" for state, number in counts.items() if number) or "none"
        read.add(_words((f"{name}  ", "dim"), (counts_text, "yellow" if counts.get("unread") else "")))


def _calls(section: "Section", at: str | None) -> list[Row]:
    return [row for row in section.of("call") if at in {None, row["at"]}]


def _totals(calls: list[Row]) -> str:
    """Calls, tokens, dollars and the seconds that they took one after the other."""
    import math

    from bot.render import count

    good = [row for row in calls if "reply" in row]
    unknown = any(row["usd"] is None for row in good)
    usd = "price unknown" if unknown else f"${math.fsum(row['usd'] for row in good):.4f}"
    tokens = f"{sum(row['usage'][0] for row in good):,} in, {sum(row['usage'][1] for row in good):,} out"
    failures = f", {len(calls) - len(good)} failed" if len(good) < len(calls) else ""
    return f"{count(len(calls), 'call')}{failures}, {tokens}, {usd}, {sum(row['seconds'] for row in calls):.1f} s"


def _total(cost: Row, seconds: float) -> str:
    from bot.outputs import facts
    from bot.values import Cost, Usage

    fields = {name: value for name, value in cost.items() if name in Cost.__dataclass_fields__}
    return facts.cost(Cost(**{**fields, "usage": Usage(**cost["usage"]), "models": ()}), seconds)


def _lines(text: str, most: int) -> list[str]:
    """The first lines that say something (the last ones, where `most` is negative), made harmless for a terminal."""
    from bot.render import line

    rows = [line(row)[:SHOWN] for row in (text or "").split("\n") if row.strip()]
    visible = rows[:most] if most > 0 else rows[most:]
    return [*visible, f"... {len(rows) - most} more lines"] if 1 < most < len(rows) else visible


def _words(*parts: str | tuple[str, str]) -> "Text":
    from rich.text import Text

    from bot.render import visible

    return Text.assemble(*(visible(p) if isinstance(p, str) else (visible(p[0]), p[1]) for p in parts), overflow="fold")
