"""Show a review in a terminal: a failure first, then the findings, worst first, and the result last.

After a long review, only the last lines are visible. So the last line contains the result, with the next
steps above it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from io import StringIO
from textwrap import dedent
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from bot import verdict
from bot.outputs import facts
from bot.render import count, cut, line, visible
from bot.render.terminal import WIDTH, prose
from bot.sections import finding_sections, sections
from deeprepo.impact.filetypes import filetype

if TYPE_CHECKING:
    from rich.syntax import Syntax

    from bot.values import (
        Coverage,
        Evidence,
        Finding,
        PlacedFinding,
        Review,
        Severity,
    )

BADGES: dict["Severity", str] = {
    "critical": "bold white on red",
    "high": "bold white on dark_orange3",
    "medium": "bold black on yellow3",
    "low": "black on grey62",
}
SEVERITY_COLORS: dict["Severity", str] = {
    "critical": "red",
    "high": "dark_orange3",
    "medium": "yellow3",
    "low": "grey62",
}
CONCLUSION_STYLES = {"clean": "bold green", "findings": "bold", "incomplete": "bold yellow"}
PLACE_NOTES = {"outside": "outside the diff", "file": "next to the changed lines"}
STATUS = {"fixed": "✓"}
NEXT = "fix the findings and review again, or add `- finding: ID` to `ignore` in .deeprepo.yml"
LISTED_ROWS = 12  # rows of a list, unless `--show all` is set
REST = "use --show all to list them"
INDENT = 4  # of the rows of a list
QUOTED_LINES = 14  # a longer quote is cut
THEME = "ansi_dark"  # uses the terminal's own 16 colors
FEW = 3  # files in the sentence about what to do next, silenced findings, and locations with their code
ASCII = str.maketrans(
    {"·": "-", "…": "~", "│": "|", "╵": "'", "╷": ",", "┃": "|", "─": "-", "‣": ">", "✓": "+", "—": "-"}
)


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of the review is shown.

    `is_whole` is set by `--show all`. `fixable` is the number of findings that `--fix` would fix, or None if
    `--fix` is running. `remedy` is the command that installs missing tools.
    """

    is_whole: bool = False
    fixable: int | None = 0
    remedy: str = ""

    def rows(self, most: int) -> int | None:
        """Return the number of rows to show, usually `most`; None for all."""
        return None if self.is_whole else most


def render(review: "Review") -> str:
    """Return the page as plain text, for a file or pipe."""
    console = Console(file=StringIO(), width=WIDTH, color_system=None, force_terminal=False, _environ={})
    with console.capture() as capture:
        show(review, console)
    return "\n".join(line.rstrip() for line in capture.get().split("\n"))


def show(review: "Review", console: Console, extent: Extent = Extent()) -> None:
    """Print the page. The console determines the colors and the width."""
    narrow = console.options.update(width=min(console.width, WIDTH))
    for part in _page(review, extent):
        segments = console.render(part, narrow)
        if console.options.ascii_only:
            segments = (
                Segment(
                    piece.text.translate(ASCII).encode("ascii", "backslashreplace").decode(), piece.style, piece.control
                )
                for piece in segments
            )
        console.print(Segments(segments), end="")


def _page(review: "Review", extent: Extent) -> Iterator[RenderableType]:
    groups = facts.listing(review)
    yield from _top(review, extent)
    for item in groups.full:
        yield _finding(item, extent)
    if groups.collapsed_findings:
        title = facts.ENGLISH.say("more_short", len(groups.collapsed_findings))
        most = extent.rows(LISTED_ROWS)
        rows = [item.finding for item in groups.collapsed_findings]
        yield _short(f"{title} (use --format markdown to read them in full)", rows[:most])
        yield from _more(len(rows), most, "")
    if groups.still:
        yield Padding(Text(facts.ENGLISH.say("list_still"), "bold"), (1, 0, 0, 0))
    for item in groups.still:
        yield _finding(item, extent)
    yield from _other_findings(review)
    yield from _sections(review, extent, is_top=False)
    yield _coverage(review.coverage, extent)
    notes = [note for note in review.notes if note != review.cut.failure]
    for section in sections():
        rows_of_list = section.rows(part) if (part := section.of(review)) else ()
        notes += [f"{facts.ENGLISH.say(section.title)}: {about}: {why}" for about, why in rows_of_list]
    if notes:
        yield Padding(Group(*map(_note, notes)), (1, 0, 0, 0))
    yield _footer(review, extent)


def _top(review: "Review", extent: Extent) -> Iterator[RenderableType]:
    yield _header(review)
    if review.cut.failure:
        yield Padding(Text(line(facts.summary(review).lead), "bold red"), (1, 0, 0, 0))
    yield from _sections(review, extent, is_top=True)
    if review.summary:
        yield Padding(prose(review.summary), (1, 0, 0, 0))


def _sections(review: "Review", extent: Extent, *, is_top: bool) -> Iterator[RenderableType]:
    for section in sections():
        part = section.of(review)
        if (section.place == "top") == is_top and part:
            yield from section.in_terminal(part, extent.rows(LISTED_ROWS))


def _other_findings(review: "Review") -> Iterator[RenderableType]:
    """Yield the findings that are not listed in full: fixed, below the minimum, and unproven."""
    if fixed := review.findings_with_status("fixed"):
        yield _short(facts.ENGLISH.say("list_fixed"), fixed)
    if below := review.findings_with_status("below"):
        yield Padding(Text(facts.ENGLISH.say("kept_back", len(below), severity=review.settings.minimum)), (1, 0, 0, 0))
    if review.unproven:
        yield _short(facts.ENGLISH.say("list_unproven"), review.unproven)


def _header(review: "Review") -> RenderableType:
    pull = review.pull
    title = Text.assemble(("deeprepo", "bold cyan"), "  ", (line(pull.title) or "(no title)", "bold"))
    change = f"{line(facts.change(pull))} · {facts.size(review)}"
    change += f" · {facts.ENGLISH.say('round', review.round.number)}" if review.round.number > 1 else ""
    return Group(title, Text(change, "dim"))


def _finding(placed_finding: "PlacedFinding", extent: Extent) -> RenderableType:
    finding = placed_finding.finding
    color = SEVERITY_COLORS[finding.severity]
    head = Text.assemble(
        (f" {finding.severity} ", BADGES[finding.severity]),
        f" {finding.number}. " if finding.number else " ",
        (line(finding.title), "bold"),
    )
    place = Text.assemble(
        (visible(facts.where(finding)), "cyan"), (f"  {PLACE_NOTES.get(placed_finding.place, '')}".rstrip(), "dim")
    )
    rows: list[RenderableType] = [place, _excerpt(finding, color)]
    rows += [Padding(prose(finding.why), (1, 0, 0, 0))] if finding.why.strip() else []
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(ratio=1)
    for label, value in _details(finding, placed_finding.replacement, extent):
        grid.add_row(label, value)
    rows.append(Padding(grid, (1, 0, 0, 0)))
    return Padding(Group(head, Padding(Group(*rows), (0, 0, 0, 2))), (1, 0, 0, 0))


def _excerpt(finding: "Finding", color: str) -> RenderableType:
    """Return the quote with its line numbers and a vertical line in this color."""
    rows = visible(finding.quote.strip("\n")).expandtabs().split("\n")
    first = finding.start
    width = len(str(first + len(rows) - 1)) if first else 1
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(justify="right", style="dim", no_wrap=True, width=width)
    grid.add_column(width=1, style=color)
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    for number, code in _highlighted(rows, finding.path, first):
        grid.add_row(number, "│" if number else "╷", code)
    return Group(grid)


def _highlighted(rows: list[str], path: str, first: int) -> list[tuple[str, Text]]:
    lines = list(_syntax(filetype(path).lexer or "text").highlight("\n".join(rows)).split("\n"))[: len(rows)]
    numbered = [(str(first + index) if first else " ", line) for index, line in enumerate(lines)][:QUOTED_LINES]
    left = len(lines) - len(numbered)
    return [*numbered, ("", Text(f"… {left} more lines", "dim"))] if left else numbered


@cache
def _syntax(lexer: str) -> "Syntax":
    # Imported here because syntax highlighting takes long to load, and most reviews have no findings.
    from rich.syntax import Syntax

    return Syntax("", lexer, theme=THEME, background_color="default")


def _details(finding: "Finding", replacement: str | None, extent: Extent) -> Iterator[tuple[str, RenderableType]]:
    if finding.consequence.strip():
        yield "effect", prose(finding.consequence)
    if finding.trigger.strip():
        yield "trigger", prose(finding.trigger)
    if finding.evidence:
        yield "evidence", Group(*_all_evidence(finding, extent))
    if finding.suggestion is not None:
        replacement_text = finding.suggestion if replacement is None else replacement
        yield "fix", Text(dedent(visible(replacement_text.strip("\r\n"))) or "delete these lines", "green")
    elif rewrite := finding.rewritten(finding.path, finding.start, finding.side):
        yield "fix", Text(visible(rewrite.strip()), "green")
    yield from (
        section.in_terminal(part) for section in finding_sections() if (part := section.of(finding)) is not None
    )
    yield "found by", Text(line(facts.origin(finding)), "dim")
    if finding.fingerprint:
        yield "id", Text(line(finding.identity), "dim")  # for `ignore` in the settings


def _all_evidence(finding: "Finding", extent: Extent) -> Iterator[RenderableType]:
    """Yield the first locations with their code, and the others as paths with line numbers."""
    most = extent.rows(FEW)
    for item in finding.evidence[:most]:
        yield _evidence(item, finding.rewritten(item.path, item.line, item.side))
    others = finding.evidence[most:] if most is not None else ()
    lines_by_path: dict[str, list[str]] = {}
    for item in others:
        lines_by_path.setdefault(line(item.path), []).extend([str(item.line)] if item.line else [])
    if others:
        listed = ", ".join(":".join(filter(None, (path, ", ".join(at)))) for path, at in lines_by_path.items())
        yield Text.assemble(f"and {len(others):,} more: ", (listed, "cyan"))


def _evidence(item: "Evidence", becomes: str) -> RenderableType:
    at = f"{line(item.path)}:{item.line}" if item.line else line(item.path)
    code = "  ".join(line.strip() for line in visible(item.quote).split("\n")[:3])
    fix = (f" → {cut(visible(becomes.strip()), WIDTH)}", "green") if becomes else ""
    return Text.assemble(
        (at, "cyan"), (f"  {line(item.note)}" if item.note else "", "dim"), "  ", cut(code, 2 * WIDTH), fix
    )


def _short(title: str, findings: Sequence["Finding"]) -> RenderableType:
    """Open findings have their number, and fixed ones a tick."""
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(justify="right", no_wrap=True, min_width=INDENT)
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=1)
    for finding in findings:
        text = Text.assemble(line(finding.title), "  ", (line(facts.where(finding)), "cyan"))
        text.append("  moved" if finding.tracking.how == "moved" else "", "dim")
        mark = STATUS.get(finding.status) or (f"{finding.number}." if finding.number else "")
        grid.add_row(mark, Text(finding.severity, SEVERITY_COLORS[finding.severity]), text)
    return Padding(Group(Text(title, "bold"), grid), (1, 0, 0, 0))


def _coverage(coverage: "Coverage", extent: Extent) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column()
    for _ in facts.COLUMNS:
        table.add_column(justify="right")
    say = facts.ENGLISH.say
    heads = (Text(say(f"column_{name}"), "dim") for name in facts.COLUMNS)
    table.add_row(Text(say("what_was_read"), "bold"), *heads)
    for name, counts in facts.coverage_table(coverage):
        cells = (
            Text(f"{n:,}" if n else "—", ("yellow" if key == "open" else "") if n else "dim")
            for key, n in counts.items()
        )
        table.add_row(name, *cells)
    left = facts.open_places(coverage)
    rows: list[RenderableType] = [table]
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    for open_place in left[: extent.rows(facts.LISTED_OPEN)]:
        grid.add_row(
            Text("  not checked", "yellow"),
            Text.assemble(
                visible(open_place.place(extent.rows(facts.LISTED_NUMBERS))),
                (f"  {line(open_place.reason)}", "dim"),
                overflow="fold",
            ),
        )
    rows += [grid] if left else []
    rows += _more(len(left), extent.rows(facts.LISTED_OPEN), "not checked")
    rows += _relying(coverage, extent)
    if coverage.not_installed:
        remedy = f" ({extent.remedy})" if extent.remedy else ""
        rows.append(Text(f"  not installed: {', '.join(coverage.not_installed)}{remedy}", "dim"))
    rows += [Text(f"  could not run: {name} {line(reason)}", "dim") for name, reason in coverage.not_run]
    rows += _rows("skipped files", facts.skipped_files(coverage), extent)
    rows += [Text(f"  limit: {line(sentence)}", "dim") for sentence in coverage.cut[: extent.rows(LISTED_ROWS)]]
    rows += _more(len(coverage.cut), extent.rows(LISTED_ROWS), "limits")
    return Padding(Group(Rule(style="dim"), *rows), (1, 0, 0, 0))


def _relying(coverage: "Coverage", extent: Extent) -> list[RenderableType]:
    groups, left = facts.relying(coverage, extent.rows(facts.LISTED_RELYING))
    rows = [
        (what, ", ".join(visible(open_place.place(extent.rows(facts.LISTED_NUMBERS))) for open_place in places))
        for what, places in groups
    ]
    title = facts.ENGLISH.say("relying", facts.relying_count(coverage))
    shown = _rows(title, [(f"{what}:", where) for what, where in rows], extent)
    return [*shown, *_more(left, 0, "")]


def _rows(title: str, rows: Sequence[tuple[str, str]], extent: Extent) -> list[RenderableType]:
    """Rows are wrapped instead of cut, because the end of a row may contain the location."""
    if not rows:
        return []
    most = extent.rows(LISTED_ROWS)
    texts = [Text.assemble(line(name), (f"  {line(reason)}", "dim")) for name, reason in rows[:most]]
    shown = [Padding(text, (0, 0, 0, INDENT)) for text in texts]
    return [Text(f"  {title}", "dim"), *shown, *_more(len(rows), most, "")]


def _more(found: int, shown: int | None, what: str) -> list[RenderableType]:
    if shown is None or found <= shown:
        return []
    return [Text(f"  and {' '.join(filter(None, (f'{found - shown:,} more', what)))} ({REST})", "dim")]


def _note(note: str) -> RenderableType:
    return Text.assemble(("note  ", "yellow"), line(note))


def _footer(review: "Review", extent: Extent) -> RenderableType:
    cost_text = Text.assemble(("cost      ", "dim"), (line(facts.cost(review.cost, review.seconds)), "dim"))
    # After a failure, the reason for the strategy would be misleading.
    reason = "" if review.cut.failure else line(review.strategy.reason)
    plan = f"{review.strategy.name}: {reason}" if reason else review.strategy.name
    how = Text.assemble(("strategy  ", "dim"), (plan, "dim"))
    notes = [facts.ENGLISH.say("dropped", review.dropped)] if review.dropped else []
    silenced = facts.silenced(review)
    notes += [facts.ENGLISH.say("silenced", len(silenced))] if silenced else []
    most = extent.rows(FEW)
    notes += [_silenced(finding, reason) for finding, reason in silenced[:most]]
    rows = [*(Text(sentence, "dim") for sentence in notes), *_more(len(silenced), most, "")]
    todos = [
        f"run again with `--fix` to fix {count(extent.fixable, 'finding')} in your files" if extent.fixable else "",
        NEXT if facts.listing(review).all and extent.fixable is not None else "",
        "solve the problem at the top, then review again" if review.cut.failure else _todo(review.coverage),
    ]
    rows += [Text.assemble(("next      ", "dim"), todo) for todo in todos if todo]
    style = "bold red" if review.cut.failure else CONCLUSION_STYLES[verdict.of(review).conclusion]
    summary = replace(facts.summary(review), failure="")  # the page already begins with the reason
    return Padding(Group(*rows, how, cost_text, Text(line(summary.result), style)), (1, 0, 0, 0))


def _todo(coverage: "Coverage") -> str:
    """Return what to do about unchecked locations, with their paths if there are only a few."""
    paths = list(dict.fromkeys(place.path for place in facts.open_places(coverage)))
    if not paths or not all(paths) or len(paths) > FEW:
        return facts.next_step(coverage)
    return facts.ENGLISH.say("open_lead_named", len(paths), what=line(", ".join(paths)))


def _silenced(finding: "Finding", reason: str) -> str:
    title = cut(f"  {finding.title}  {facts.where(finding)}", WIDTH)
    return line(" · ".join(filter(None, (title, cut(reason, 2 * WIDTH)))))
