"""Turn other tools' reports about the change into findings. Runs nothing."""

from collections.abc import Sequence

from bot.render import count
from bot.values import Absence, Basis, ChangedFile, Dependents, Finding, Judgement, Source, Verdict
from bot.values.finding import break_digest
from bot.values.tool_results import ToolResult, ToolRun
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import quote_of

NAME = "sarif"
RESULT_TITLE_CHARS = 160


class Sarif:
    """The results that the change causes. Implements `ports.Analyzer`."""

    NAME = NAME

    def __init__(self, results: Sequence[ToolResult], runs: Sequence[ToolRun] = ()) -> None:
        self._runs = tuple(runs)
        self._found: dict[str, list[ToolResult]] = {}
        for result in results:
            self._found.setdefault(result.path, []).append(result)

    def wants(self, file: ChangedFile) -> bool:
        """Return whether the file has a result.

        If a run failed, every file counts, as it could have had results.
        """
        return file.path in self._found or "" in self._found

    async def check(
        self,
        tree: Tree,
        files: Sequence[ChangedFile],
        dependents: Dependents,  # noqa: ARG002
    ) -> Judgement:
        """Return one finding per result of the change whose line exists.

        Other results are marked as not checked.
        """
        texts = await tree.read_many([file.path for file in files])
        findings: list[Finding] = []
        reasons: dict[str, str] = {}
        for path, blob in texts.items():
            lines = [line.rstrip("\r") for line in blob.decode("utf-8", "replace").split("\n")]
            results = [each for each in self._found.get(path, ()) if not each.is_unread]
            quotes = {
                result: quote_of(lines[result.start - 1]) if 0 < result.start <= len(lines) else None
                for result in results
            }
            findings += [_finding(each, quote) for each, quote in quotes.items() if quote and each.new is not False]
            if missing := [
                each for each, quote in quotes.items() if quote is None or (not quote and each.new is not False)
            ]:
                reasons[path] = f"{count(len(missing), 'result')} without a matching line in this commit"
            if unread := next((each for each in self._found.get(path, ()) if each.is_unread), None):
                reasons[path] = unread.message
        left = reasons.items()
        failures = (("", each.message) for each in self._found.get("", ()))
        return Judgement(tuple(findings), frozenset(texts.keys() - reasons.keys()), (*left, *dict.fromkeys(failures)))

    def absence(self, finding: Finding, dependents: Dependents) -> Absence:  # noqa: ARG002
        """Return fixed if every tool that reported the finding ran again over that file completely."""
        tools = {source.name for source in finding.basis.sources if source.kind == "tool"}
        again = {run.tool for run in self._runs if run.covers(finding.path)}
        return "fixed" if tools <= again else "unseen"


def _finding(result: ToolResult, quote: str) -> Finding:
    text = result.message or result.about or f"{result.tool} reports {result.rule or 'this line'}"
    return Finding(
        path=result.path,
        quote=quote,
        title=text if len(text) <= RESULT_TITLE_CHARS else text[: RESULT_TITLE_CHARS - 1] + "…",
        why=f"{result.tool} reports: {text}",
        consequence=result.about if result.about != text else "",
        severity=result.severity,
        category="security" if result.security else "bug",
        basis=Basis(
            (Source("tool", result.tool, breaks=(break_digest(result.tool, result.rule, result.mark or text),)),),
            verdict=Verdict.PROVEN if result.sure else Verdict.UNPROVEN,
        ),
        rule=result.rule,
        start=result.start,
        end=result.start,
    )
