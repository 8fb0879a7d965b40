"""What other tools have reported about the change, as findings like our own. It runs nothing."""

import re
from collections.abc import Collection, Sequence

from bot.ports import Tree
from bot.render import count
from bot.text.lines import line_number, quote_of
from bot.values import ChangedFile, Dependents, Finding, Judgement, Silence, Source, Verdict
from bot.values.finding import break_of
from bot.values.tool_results import ToolResult, ToolRun

NAME = "sarif"
TITLE = 160
LINE_END = re.compile(
    "[\\x0b\\x0c\\x1c-\\x1e\\x85\\u2028\\u2029]|\\r(?!\\n)"
)  # ends a line for some programs, not for git

COMMENT = re.compile(r"#|//|/\*|<!--|--|;;|%|@|\[\w")  # or an attribute
SUPPRESSING = re.compile(r"(?i)disable|ignore|suppress|skip|allow|nolint|noqa|nosec|nosem|nosonar|lgtm")


class Sarif:
    """The results that the change brings. Satisfies `ports.Analyzer`."""

    NAME, READS = NAME, "files that another tool reported on"

    def __init__(self, results: Sequence[ToolResult], runs: Sequence[ToolRun] = ()) -> None:
        self._runs = tuple(runs)
        self._found: dict[str, list[ToolResult]] = {}
        for each in results:
            self._found.setdefault(each.path, []).append(each)

    def wants(self, file: ChangedFile) -> bool:
        """Files with a result; all if a run failed, for it could have had results about any."""
        return file.path in self._found or "" in self._found

    async def check(
        self,
        tree: Tree,
        files: Sequence[ChangedFile],
        dependents: Dependents,  # noqa: ARG002 - the protocol's
    ) -> Judgement:
        """One finding for each result that the change brings and whose line exists; what cannot be placed is open."""
        texts = await tree.read_many([file.path for file in files])
        added_lines = {file.path: file.added_lines for file in files}
        findings: list[Finding] = []
        reasons: dict[str, str] = {}
        for path, blob in texts.items():
            text = blob.decode("utf-8", "replace")
            lines = [line.rstrip("\r") for line in text.split("\n")]
            comments = _AddedComments(lines, added_lines[path])
            results = [each for each in self._found.get(path, ()) if not each.is_unread]
            results = [each for each in results if not each.is_commented_away or comments.may_suppress(each)]
            if behind := [each for each in results if each.start > _counted_alike(text)]:
                number = count(len(behind), "result")
                reasons[path] = f"{number} behind a character that some programs count as the end of a line"
            quotes = {
                each: quote_of(lines[each.start - 1]) if 0 < each.start <= len(lines) else None for each in results
            }
            findings += [_finding(each, quote) for each, quote in quotes.items() if quote and each.new is not False]
            if missing := [
                each for each, quote in quotes.items() if quote is None or (not quote and each.new is not False)
            ]:
                reasons[path] = f"{count(len(missing), 'result')} without a line of code in this commit"
            if unread := next((each for each in self._found.get(path, ()) if each.is_unread), None):
                reasons[path] = unread.message
        left = reasons.items()
        failures = (("", each.message) for each in self._found.get("", ()))
        return Judgement(tuple(findings), frozenset(texts.keys() - reasons.keys()), (*left, *dict.fromkeys(failures)))

    def silence(self, finding: Finding, dependents: Dependents) -> Silence:  # noqa: ARG002
        """Fixed if every tool that reported it was run again, to its end, over that file, and its report was handed in."""
        tools = {source.name for source in finding.sources if source.kind == "tool"}
        again = {run.tool for run in self._runs if run.covers(finding.path)}
        return "fixed" if tools <= again else "unseen"


class _AddedComments:
    """The comments that the change adds to a file. An author's own comment is no decision of the repository's owner."""

    def __init__(self, lines: Sequence[str], added_lines: Collection[int]) -> None:
        texts = {number: lines[number - 1] for number in added_lines if 0 < number <= len(lines)}
        self._texts = {number: text for number, text in texts.items() if COMMENT.search(text)}
        self._joined = "\n".join(self._texts.values())
        self._suppresses = bool(SUPPRESSING.search(self._joined))

    def may_suppress(self, result: ToolResult) -> bool:
        """Whether the comment that suppresses a result may be one of them: beside it, or anywhere if it names the rule or sounds like one."""
        rule = re.split(r"[./]", result.rule)[-1]
        if self._suppresses or (rule and rule in self._joined):
            return True
        return any(result.start - 1 <= number <= max(result.start, result.end) for number in self._texts)


def _counted_alike(text: str) -> float:
    """The last line up to which every program counts the lines of a text as git does."""
    odd = LINE_END.search(text)
    return line_number(text, odd.start()) if odd else float("inf")


def _finding(result: ToolResult, quote: str) -> Finding:
    text = result.message or result.about or f"{result.tool} reports {result.rule or 'this line'}"
    return Finding(
        path=result.path,
        quote=quote,
        title=text if len(text) <= TITLE else text[: TITLE - 1] + "…",
        why=f"{result.tool} reports: {text}",
        consequence=result.about if result.about != text else "",
        severity=result.severity,
        category="security" if result.security else "bug",
        sources=(Source("tool", result.tool, breaks=(break_of(result.tool, result.rule, result.mark or text),)),),
        rule=result.rule,
        start=result.start,
        end=result.start,
        verdict=Verdict.PROVEN if result.sure else Verdict.UNPROVEN,
    )
