"""`deeprepo trace`: show a journal as a tree of turns, calls and child runs, with coverage and cost."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.exits import CLEAN, tell

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

    from deeprepo.rlm.journal.reader import Record, Section

WIDTH = 200  # columns if the output is not a terminal
SHOWN_CHARS = 100  # of a line of code, an error or a prompt
COVERED = (("unit", "changed code"), ("use", "usages that may break"), ("dependent", "dependent files"))
Row = dict[str, Any]


def command(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A recorded review. To record one, run `deeprepo review --trace FILE` or `deeprepo review --journal FILE`.",
        ),
    ],
    calls: Annotated[bool, typer.Option("--calls", help="Show every call on its own line.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Show every review in the file, not only the last one.")] = False,
) -> int:
    """Show what a recorded review did, turn by turn, and what each part of it cost.

    Exit codes: 0, or 2 if FILE is not a journal.
    """
    from rich.console import Console

    from bot.review.journal import reviews

    record, sections = reviews.of(file)
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    for section in sections if every else sections[-1:]:
        console.print(_Trace(record, section, calls).tree())
    if len(sections) > 1 and not every:
        tell(f"Showing the newest of {len(sections)} reviews in this file. Use --all to show every one")
    return CLEAN


@dataclass(frozen=True, slots=True)
class _Trace:
    """Renders one review of a journal. `every_call`: show every call on its own line."""

    record: "Record"
    section: "Section"
    every_call: bool

    def tree(self) -> "Tree":
        from rich.tree import Tree

        start, plan = self.section.start or {}, next(reversed(self.section.of("strategy")), None)
        pull = start["pull"]
        top = Tree(_words(("deeprepo ", "bold cyan"), (start["version"], "dim"), f"  {pull['title']}"))
        range_ids = f"{pull['base'][:10]}..{pull['head'][:10]}"
        top.add(_words((f"{pull['base_name']}..{pull['head_name']}  {range_ids}", "dim")))
        top.add(_words(("models  ", "dim"), f"root {start['root'] or 'none'}, worker {start['worker'] or 'none'}"))
        if plan:
            top.add(_words(("strategy  ", "dim"), (plan["name"], "bold"), f"  {plan['reason']}"))
        self._phase(top, "workers, outside the root model's turns", "worker", "root", at="")
        self._phase(top, "pairs", "pairs")
        for run in dict.fromkeys(turn["run"].partition(".")[0] for turn in self.section.turns):
            self._run(top, run)
        self._phase(top, "confirmations", "verify")
        in_flight = len(self.section.of("request")) - len(self.section.of("call"))
        if in_flight:
            top.add(_words((f"{in_flight} requests were still running when a run was killed", "yellow")))
        for sentence in dict.fromkeys(failure["text"] for failure in self.section.of("failed")):
            top.add(_words(("not answered  ", "yellow"), sentence[: 2 * SHOWN_CHARS]))
        self._end(top)
        return top

    def _run(self, above: "Tree", run: str) -> None:
        """Add a run and its turns to the tree.

        A child's run appears below the turn that started it, which was written later.
        """
        branch = above.add(_words((run, "bold"), ("  child" if "." in run else "", "dim")))
        children: dict[str, None] = {}
        for turn in self.section.turns:
            if turn["run"] == run:
                place, waiting, children = self._turn(branch, turn), children, {}
                for child in waiting:
                    self._run(place, child)
            elif turn["run"].startswith(f"{run}."):
                children[f"{run}." + turn["run"].removeprefix(f"{run}.").partition(".")[0]] = None
        for child in children:  # the rest were started by a turn that was cut off
            self._run(branch, child)

    def _turn(self, above: "Tree", turn: Row) -> "Tree":
        """Add a turn to its run's branch, with the calls of its code block. Return the turn's branch."""
        at = f"{turn['run']}:{turn['number']}"
        root_calls = [call for call in self._calls(at) if call["role"] == "root"]
        cost, block = (f"  {_totals(root_calls)}", "dim"), (f"  block {turn['seconds']:.1f} s", "dim")
        branch = above.add(_words((f"turn {turn['number']}", "bold"), cost, block))
        for text, most, style in ((turn["said"], 1, "italic"), (turn["code"], 3, "green")):
            for line in _lines(text, most):
                branch.add(_words((line, style)))
        if turn["error"]:
            branch.add(_words((f"{turn['outcome']}  ", "red"), _line(turn["error"], -1)))
        elif turn["output"]:
            branch.add(_words(("-> ", "dim"), _line(turn["output"]), (f"  {len(turn['output']):,} characters", "dim")))
        self._phase(branch, "asked", "worker", at=at)
        for tool_call in (each for each in self.section.of("tool") if each["at"] == at):
            words = f"{tool_call['name']}  {tool_call['arguments'][:SHOWN_CHARS]}", (" -> ", "dim")
            branch.add(_words(("tool  ", "dim"), *words, _line(tool_call.get("error") or repr(tool_call["result"]))))
        return branch

    def _phase(self, branch: "Tree", title: str, *roles: str, at: str | None = None) -> None:
        """Add the totals of the calls with these roles, and a line for each failed call, or for `every_call`.

        `at` limits the calls to one turn ("": outside of turns).
        """
        phase_calls = [call for call in self._calls(at) if call["role"] in roles]
        if not phase_calls:
            return
        below = branch.add(_words((f"{title}  ", ""), (_totals(phase_calls), "dim")))
        for call in phase_calls:
            if self.every_call or "error" in call:
                below.add(self._call(call))

    def _call(self, call: Row) -> "Text":
        from bot.render import line

        model = (f"{call['model']}  ", "")
        if "error" in call:
            return _words(model, (line(call["error"])[:SHOWN_CHARS], "red"))
        request = next((r for r in self.section.of("request") if r["key"] == call["key"] and r["messages"]), None)
        text = self.record.messages.get(request["messages"][-1], {}).get("text", "") if request else ""
        reply = _line(call["reply"]["text"]) or "a tool call"
        return _words(model, (f"{_totals([call])}  ", "dim"), _line(text), (" -> ", "dim"), reply)

    def _end(self, top: "Tree") -> None:
        from bot.render import count
        from bot.review.journal import reviews

        end = self.section.end
        if end is None:
            top.add(_words((f"unfinished: {reviews.without_end(self.section)}", "yellow")))
            return
        is_review = "answer" not in end
        if is_review:
            read = top.add(_words(("coverage", "bold")))
            for kind, name in COVERED:
                counts = end["coverage"].get(kind, {})
                counts_text = ", ".join(f"{number} {state}" for state, number in counts.items() if number) or "none"
                read.add(_words((f"{name}  ", "dim"), (counts_text, "yellow" if counts.get("unread") else "")))
        total = _total(end["cost"], end["seconds"]) if is_review else _totals(self.section.of("call"))
        money = top.add(_words(("money", "bold"), (f"  {total}", "dim")))
        for role, name in reviews.ROLES.items():
            role_calls = [call for call in self.section.of("call") if call["role"] == role]
            if role_calls:
                money.add(_words((f"{name}  ", "dim"), _totals(role_calls)))
        for ending in self.section.of("end"):  # a session about texts has one for each question
            for text in _lines(ending.get("answer", ""), 3):
                top.add(_words(("answer  ", "bold"), text))
        branch = top.add(_words((count(len(end["findings"]), "finding"), "bold"))) if is_review else top
        for finding in end["findings"]:
            where = f"{finding['path']}:{finding['start']}  {finding['title']}"
            branch.add(_words((f"{finding['severity']}  ", "bold"), where, (f"  {finding['verdict']}", "dim")))
        if end["fault"]:
            top.add(_words((f"stopped by an error: {end['fault']}", "red")))

    def _calls(self, at: str | None) -> list[Row]:
        return [call for call in self.section.of("call") if at in {None, call["at"]}]


def _totals(calls: list[Row]) -> str:
    """Return the number, tokens and cost of calls, and the sum of their seconds."""
    from bot.render import count
    from bot.review.journal.tally import Tally

    all_calls = Tally.of(calls)
    usd = "price unknown" if all_calls.usd is None else f"${all_calls.usd:.4f}"
    failures = f", {all_calls.failures} failed" if all_calls.failures else ""
    tokens = f"{all_calls.input:,} in, {all_calls.output:,} out"
    return f"{count(all_calls.calls, 'call')}{failures}, {tokens}, {usd}, {all_calls.seconds:.1f} s"


def _total(cost: Row, seconds: float) -> str:
    from bot.outputs import facts
    from deeprepo.rlm.values import Cost, Usage

    known = {name: value for name, value in cost.items() if name in Cost.__dataclass_fields__}
    return facts.cost(Cost(**{**known, "usage": Usage(**cost["usage"]), "models": ()}), seconds)


def _lines(text: str, most: int) -> list[str]:
    """Return the first `most` non-blank lines (if negative, the last ones), escaped for a terminal."""
    from bot.render import line

    rows = [line(text_line)[:SHOWN_CHARS] for text_line in (text or "").split("\n") if text_line.strip()]
    visible = rows[:most] if most > 0 else rows[most:]
    return [*visible, f"... {len(rows) - most} more lines"] if 1 < most < len(rows) else visible


def _line(text: str, most: int = 1) -> str:
    return (_lines(text, most) or [""])[0]


def _words(*parts: str | tuple[str, str]) -> "Text":
    from rich.text import Text

    from bot.render import visible

    return Text.assemble(*(visible(p) if isinstance(p, str) else (visible(p[0]), p[1]) for p in parts), overflow="fold")
