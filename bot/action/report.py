"""Write a step's results: outputs, the job summary, annotations, and files that the workflow requested."""

from pathlib import Path

from bot.action import files
from bot.action.console import Console
from bot.action.event import ON_PULL
from bot.config.action import Step
from bot.outputs import OUTPUTS, facts, markdown
from bot.render import load
from bot.values import Coverage
from bot.workflow.publish import checks
from bot.workflow.reviewing import Outcome

MAX_SUMMARY_BYTES = 900_000  # GitHub allows 1 MiB per step
FORMATS = ("sarif", "json")


def check_writable(step: Step) -> None:
    """Raise UsageError if a requested file cannot be written, before anything is paid."""
    for path in _requested_files(step).values():
        files.writable_path(path, step.runner)


def report(result: Outcome, step: Step, console: Console) -> None:
    """Write the requested files, annotations, log, job summary and outputs."""
    paths = {}
    if result.review is not None:
        for form, path in _requested_files(step).items():
            text = OUTPUTS[form]().render(result.review)
            paths[form] = files.write(path, text, step.runner)
        if step.runner.github_event_name in ON_PULL:  # for other events, the annotations are in the check run
            console.annotate(checks.annotations(result.review, load()))
        console.say(facts.summary(result.review).result)
        console.say(facts.cost(result.review.cost, result.review.seconds))
    for note in result.posted.notes if result.posted else ():
        console.say(note)
    if result.says:
        console.headline("notice", result.says)
    files.append(step.runner.github_step_summary, _page(result))
    files.write_outputs(step.runner.github_output, _outputs(result, paths))


def _requested_files(step: Step) -> dict[str, Path]:
    requested_paths = {"sarif": step.inputs.sarif, "json": step.inputs.json_file}
    return {form: path for form, path in requested_paths.items() if path is not None}


def _page(result: Outcome) -> str:
    """Return the job summary. The review's templates escape its text. The sentence above it is our own."""
    lines = [f"> {result.says}"] if result.says else []
    lines += [f"[Summary on the pull request]({result.posted.summary_url})"] if result.posted else []
    lines += [markdown.render(result.review, MAX_SUMMARY_BYTES)] if result.review is not None else []
    return "\n\n".join([*lines, ""])


def _outputs(result: Outcome, paths: dict[str, Path]) -> dict[str, str]:
    """Return the outputs that action.yml declares. Outputs without a value are ""."""
    review = result.review
    outputs = {
        "conclusion": result.conclusion,
        "posted": str(result.posted.posted_count) if result.posted else "0",
        "summary-url": result.posted.summary_url if result.posted else "",
        **{form: str(paths.get(form, "")) for form in FORMATS},
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
    """Return the percentage of changed code and usages that was reviewed; 100 only if nothing is missing."""
    missing = len(coverage.open)
    read = sum(coverage.count(kind, "reviewed", "reused") for kind in ("unit", "use"))
    return 100 if not missing else 100 * read // (read + missing)
