import step
from fakes import Repository

from bot import diff
from bot.checkout import Checkout
from bot.diff import alike, units
from bot.diff.render import FileDiff
from bot.values import Dependents, PullRequest

NUMBERS = range(12)


def script(flag: str, last: str = "echo done") -> str:
    """Return a script with twelve functions that each call a program with this flag."""
    calls = "".join(
        f"step_{n}() {{\n  prepare {n}\n  app show item-{n} {flag} --wide\n  clean {n}\n}}\n" for n in NUMBERS
    )
    return f"{calls}finish() {{\n  {last}\n}}\n"


def diffs(pull: PullRequest) -> tuple[list[FileDiff], list[FileDiff]]:
    """Return the full diff of the change, and the diff with similar edits collapsed."""

    async def run(tree: Checkout, files: step.Files) -> list[FileDiff]:
        return diff.file_diffs(units.cut(files, Dependents(), await step.texts(tree, files)), files)

    whole = step.over(pull, run)
    return whole, alike.collapse(whole)


def test_similar_edits_are_shown_as_two_examples_and_a_count(repository: Repository) -> None:
    """Of twelve similar edits, two are shown, and a note lists the replaced words and the lines."""
    pull = repository.change({"run.sh": script("--json")}, {"run.sh": script("--agent", "echo over")})
    (whole,), (short,) = diffs(pull)
    assert sum(row.sign == "+" for row in whole.rows) == len(NUMBERS) + 1
    assert [row.text.strip() for row in short.rows if row.sign == "+"] == [
        "app show item-0 --agent --wide",
        "app show item-1 --agent --wide",
        "echo over",
    ]
    notes = [row.text for row in short.rows if "alike" in row.text or "more one-line" in row.text]
    lines = ", ".join(str(5 * n + 3) for n in NUMBERS[2:])
    assert notes == [f"[10 more one-line edits like those shown: `json` became `agent`, in line {lines}]"]
    assert len(short.body) < len(whole.body) / 2
