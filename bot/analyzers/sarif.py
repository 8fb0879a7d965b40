"""What other tools have reported about the change, as findings like our own. It runs nothing."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from bot.ports import Tree
from bot.render import count
from bot.text.lines import quote_of
from bot.values import ChangedFile, Dependents, Finding, Judgement, Silence, Source, Verdict
from bot.values.tool_results import ToolResult, ToolRun

NAME = "sarif"
TITLE = 160


class Sarif:
    """The results that the change brings. Satisfies `ports.Analyzer`."""

    NAME, READS = NAME, "files that another tool reported on"
    ROWS: Literal["git", "other"] = "other"

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
        """One finding for each result whose line exists."""
        texts = await tree.read_many([file.path for file in files])
        findings, missing = [], Counter[str]()
        for path, text in texts.items():
            lines = [line.rstrip("\r") for line in text.decode("utf-8", "replace").split("\n")]
            for each in self._found.get(path, ()):
                quote = quote_of(lines[each.start - 1]) if each.start <= len(lines) else ""
                if quote:
                    findings.append(_finding(each, quote))
                else:
                    missing[path] += 1
        left = (
            (path, f"{count(number, 'result')} without a line of code in this commit")
            for path, number in missing.items()
        )
        failures = (("", each.message) for each in self._found.get("", ()))
        return Judgement(tuple(findings), frozenset(texts.keys() - missing.keys()), (*left, *dict.fromkeys(failures)))

    def silence(self, finding: Finding, dependents: Dependents) -> Silence:  # noqa: ARG002
        """Fixed if every tool that reported it was run again, to its end, over that file, and its report was handed in."""
        tools = {source.name for source in finding.sources if source.kind == "tool"}
        again = {run.tool for run in self._runs if run.covers(finding.path)}
        return "fixed" if tools <= again else "unseen"


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
        sources=(Source("tool", result.tool),),
        rule=result.rule,
        start=result.start,
        end=result.start,
        verdict=Verdict.PROVEN if result.sure else Verdict.UNPROVEN,
    )
