from rich.console import Console

from bot.cli import trace
from bot.journal import codec
from bot.journal.reader import Record
from bot.values import PullRequest


def test_what_an_earlier_run_had_paid_is_told_once() -> None:
    """Three replies taken from an older review of the same file are one line of the tree."""
    pull = PullRequest("A change", "", "a" * 40, "b" * 40, "main", "feature", ".git")
    begun = codec.review(codec.Start(pull, {}, None, "compatible/worker", "1"))
    facts = {
        "kind": "reused",
        "role": "worker",
        "model": "compatible/worker",
        "at": "",
        "usd": 0.0,
        "usage": [1, 1, 0, 0],
    }
    recorded = Record([begun, *({**facts, "key": str(number)} for number in range(3))])
    console = Console(width=200)
    with console.capture() as shown:
        console.print(trace.tree(recorded, recorded.sections[0], calls=False))
    assert shown.get().count("3 calls that an earlier run had paid") == 1
