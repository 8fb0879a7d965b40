"""What a step leaves behind: outputs, the job summary, annotations, and the files that the workflow asked for."""

from pathlib import Path

from bot.action import files
from bot.action.console import Console
from bot.action.event import ON_PULL
from bot.config import Step
from bot.outputs import OUTPUTS, facts, markdown
from bot.render import load
from bot.values import Coverage
from bot.workflow.publish import checks
from bot.workflow.reviewer import ReviewResult

ROOM = 900_000  # bytes of a page; the runner takes a mebibyte from a step
FORMS = ("sarif", "json")


def ready(step: Step) -> None:
    """Raise UsageError where a file that was asked for could not be written: said before anything is paid."""
    for path in _requested_files(step).values():
        files.place(path, step.runner)


def report(result: ReviewResult, step: Step, console: Console) -> None:
    """Leave everything where it is looked for."""
    paths = {}
    if result.review is not None:
        for form, path in _requested_files(step).items():
            text = OUTPUTS[form]().render(result.review)
            paths[form] = files.write(path, text, step.runner)
        if step.runner.github_event_name in ON_PULL:  # else they are in the head's check run
            console.annotate(checks.annotations(result.review, load()))
        console.say(facts.summary(result.review).result)
        console.say(facts.cost(result.review.cost, result.review.seconds))
    for note in result.posted.notes if result.posted else ():
        console.say(note)
    if result.says:
        console.headline("notice", result.says)
    files.append(step.runner.github_step_summary, _page(result))
    files.put(step.runner.github_output, _outputs(result, paths))


def _requested_files(step: Step) -> dict[str, Path]:
    requested_paths = {"sarif": step.inputs.sarif, "json": step.inputs.json_file}
    return {form: path for form, path in requested_paths.items() if path is not None}


def _page(result: ReviewResult) -> str:
    """The job summary. The review itself is made harmless by its templates; the sentence above it is ours."""
    lines = [f"> {result.says}"] if result.says else []
    lines += [f"[Summary on the pull request]({result.posted.summary_url})"] if result.posted else []
    lines += [markdown.render(result.review, ROOM)] if result.review is not None else []
    return "\n\n".join([*lines, ""])


def _outputs(result: ReviewResult, paths: dict[str, Path]) -> dict[str, str]:
    """The outputs of action.yml; an empty text is what there is not."""
    review = result.review
    outputs = {
        "conclusion": result.conclusion,
        "posted": str(result.posted.posted_count) if result.posted else "0",
        "summary-url": result.posted.summary_url if result.posted else "",
        **{form: str(paths.get(form, "")) for form in FORMS},
    }
    if review is None:
        return {**outputs, **dict.fromkeys(("findings", "new", "cost", "coverage", "round"), "")}
    return {
        **outputs,
        "findings": str(len(review.open_findings)),
        "new": str(len(review.findings_with_status("new"))),
        "cost": "" if review.cost.usd is None else f"{review.cost.usd:.4f}",
        "coverage": str(percent(review.coverage)),
        "round": str(review.round.number),
    }


def percent(coverage: Coverage) -> int:
    """Return how much of the changed code and of its uses was checked or read; 100 only if nothing is open."""
    missing = len(coverage.open)
    read = sum(coverage.count(kind, "reviewed", "reused") for kind in ("unit", "use"))
    return 100 if not missing else 100 * read // (read + missing)
