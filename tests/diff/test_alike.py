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


def test_similar_edits_are_shown_as_two_examples_and_their_new_lines(repository: Repository) -> None:
    """Of twelve similar edits, two are shown, and of the others the new line, with its number."""
    pull = repository.change({"run.sh": script("--json")}, {"run.sh": script("--agent", "echo over")})
    (whole,), (short,) = diffs(pull)
    assert [row.text for row in short.rows if row.sign == "+"] == [row.text for row in whole.rows if row.sign == "+"]
    assert sum(row.sign == "-" for row in short.rows) == 3
    assert f"+{5 * NUMBERS[-1] + 3}   app show item-{NUMBERS[-1]} --agent --wide" in short.body
    assert "[`json` became `agent`, as in the edits shown above; of 10 more such edits, only" in short.body
    assert len(short.body) < len(whole.body) * 2 / 3
