"""A large change's altered definitions, compared with their references in one prompt to the root's model."""

from collections.abc import Mapping
from typing import Any

import pytest
from fakes import Repository
from strategies.test_root import CLAIM, HELPER, read, reviewed

from deeprepo.rlm.values import tokens
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply

ASKED = "which uses of what it changes do not hold any more"
TITLE = "The wait is still shown in seconds"
BEFORE = "def wait(job):\n    return job.delay\n"
AFTER = "def wait(job):\n    return job.delay * 1000\n"
PASSED = "from shop.clock import wait\n\n\ndef pause(job):\n    return wait(job)\n"
SHOWN = "from shop.pauses import pause\n\n\ndef show(job):\n    return f'{pause(job)} seconds'\n"
GREW = "".join(
    f"\n\ndef rate_{n}(amount):\n    # rates of the year {1000 + n}, in percent of the whole amount of that year\n    return amount * {n} / 100\n"
    for n in range(240)
)
BROKEN = {
    "change": {"path": "shop/clock.py", "quote": "    return job.delay * 1000"},
    "use": {"path": "shop/page.py", "quote": "    return f'{pause(job)} seconds'"},
    "title": TITLE,
    "why": "wait() returns milliseconds now, pause() hands them on, and show() calls them seconds.",
    "trigger": "show(Job(delay=2))",
    "consequence": "The page says 2000 seconds.",
    "severity": "high",
    "category": "contract",
}

IN_PARTS = ("--strategy", "rlm")  # workers, pairs and a root, as for a change over 24,000 tokens
LOOK, FIRST = "print([one['state'] for one in findings()])", 2  # the root's first block; messages before it


@pytest.fixture
def change(repository: Repository) -> Repository:
    """Commit a one-line change of a unit of time, in a change too large for one prompt."""
    files: dict[str, str | bytes | None] = {
        "shop/__init__.py": "", "shop/clock.py": BEFORE, "shop/pauses.py": PASSED, "shop/page.py": SHOWN, "shop/helper.py": HELPER,
    }  # fmt: skip
    repository.commit(files, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit({"shop/clock.py": AFTER, "shop/rates.py": GREW}, "after")
    return repository


class Led:
    """A model in every role. `asked` lists its calls, and `seen` the prompts about pairs."""

    def __init__(
        self,
        *broken: Mapping[str, Any],
        doubts: tuple[str, ...] = (),
        pairs: int = 200,
        read: Mapping[str, Any] | None = None,  # a worker's finding
    ) -> None:
        self.broken, self.doubts, self.pairs, self.read = broken, doubts, pairs, read
        self.last = ""  # newest message to the root
        self.asked: list[str] = []
        self.seen: list[str] = []
        self.first = ""  # first message to the root

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """Return the next reply."""
        text = str(body["messages"])
        if CLAIM in text:
            self.asked.append("opinion")
            return doubles.verdict(
                body, {"verdict": "confirmed", "trigger": "t", "author_would_change": True, "reason": ""}
            )
        if ASKED in text:
            self.asked.append("pairs")
            self.seen.append(body["messages"][-1]["content"])
            return Reply(
                data={"broken": list(self.broken), "doubts": list(self.doubts)},
                status=self.pairs,
                error="content_filter",
            )
        if "Python REPL" in text:
            self.asked.append("turn")
            self.first = str(body["messages"][1]["content"])
            self.last = str(body["messages"][-1]["content"])
            code = LOOK if len(body["messages"]) <= FIRST else "set_answer('Looked up.')"
            return Reply(calls=doubles.code(code).calls)
        self.asked.append("reading")
        found = [self.read] if self.read and "job.delay * 1000" in text else []
        return Reply(data={"answer": "Fine.", "findings": found})


def test_reference_is_listed_below_the_definition_that_breaks_it(change: Repository) -> None:
    """The prompt has the definition before and after and its callers, but not the diff."""
    played = Led(BROKEN)
    review = reviewed(change, played, *IN_PARTS)
    assert [finding["title"] for finding in review["findings"]] == [TITLE]
    assert (played.asked.count("pairs"), played.asked.count("opinion")) == (1, 1)
    (seen,) = played.seen
    for line in ("-2     return job.delay", "return job.delay * 1000", "return wait(job)"):
        assert line in seen
    assert "rate_7" not in seen


@pytest.mark.parametrize("at", ["the change", "the use"])
def test_two_passes_reporting_one_defect_give_one_finding(change: Repository, at: str) -> None:
    """Two reports are matched by cause, despite other words and lines; one confirmation follows."""
    told = {
        **{name: BROKEN[name] for name in ("trigger", "consequence", "severity")},
        "path": "shop/clock.py", "quote": "    return job.delay * 1000", "line": 2, "title": "show() prints milliseconds as seconds",
        "why": "The unit of the wait has changed.", "category": "logic", "claims": [], "suggestion": None,
        "evidence": [{"path": "shop/page.py", "quote": "    return f'{pause(job)} seconds'"}],
    }  # fmt: skip
    if at == "the use":
        evidence = [{"path": told["path"], "quote": told["quote"]}]
        told |= {
            **told["evidence"][0],
            "line": 0,
            "evidence": evidence,
            "why": "pause() hands on what wait() returns, which is in milliseconds.",
        }
    played = Led(BROKEN, read=told)
    review = read(change, played, *IN_PARTS)
    assert len(review["findings"]) == 1
    assert played.asked.count("opinion") == 1
    assert "['not confirmed yet: a second model call follows automatically']" in played.last


def test_lines_that_use_two_definitions_are_shown_once(change: Repository) -> None:
    """The second section only refers to their location."""
    rest = "\n\ndef rest(job):\n    return job.pause{}\n"
    both = "from shop.clock import rest, wait\n\n\ndef whole(job):\n    return wait(job) + rest(job)\n"
    change.git("checkout", "-q", "main")
    change.commit({"shop/clock.py": BEFORE + rest.format(""), "shop/whole.py": both}, "before")
    change.git("checkout", "-q", "feature")
    change.git("reset", "-q", "--hard", "main")
    change.commit({"shop/clock.py": AFTER + rest.format(" * 1000"), "shop/rates.py": GREW}, "after")
    played = Led()
    read(change, played, *IN_PARTS)
    (seen,) = played.seen
    assert seen.count("return wait(job) + rest(job)") == 1
    assert "Used too in shop/whole.py:4-5, which another section of this message shows." in seen


def test_blank_line_in_a_class_does_not_count_as_a_change(change: Repository) -> None:
    """Removed members are shown with their own users, so the class's users are not asked about."""
    members = "".join(
        f"  part_{n}() {{\n    const value = load({n}, 'a text that fills the line')\n    return value\n  }}\n"
        for n in range(400)
    )
    before = (
        f"class Clock {{\n{members}  get now() {{\n    const a = first()\n    return a\n  }}\n}}\nexport {{ Clock }}\n"
    )
    after = before.replace("  get now", "\n  get now").replace(
        "    const a = first()\n    return a\n", "    return second()\n"
    )
    uses = "import { Clock } from './clock'\nexport const made = new Clock()\nexport const now = made.now\n"
    change.git("checkout", "-q", "main")
    change.commit({"ui/clock.js": before, "ui/use.js": uses}, "a class")
    change.git("checkout", "-q", "feature")
    change.git("rebase", "-q", "main")
    change.commit({"ui/clock.js": after}, "its member")
    played = Led()
    read(change, played, *IN_PARTS)
    headings = [line for text in played.seen for line in text.split("\n") if line.startswith("## ")]
    assert any("now" in line for line in headings)
    assert not any("Clock lines" in line or line.endswith("Clock") for line in headings)


def test_unanswered_pairs_are_reported_in_a_note(change: Repository) -> None:
    """The workers have still read the change, and the root continues."""
    review = reviewed(change, Led(BROKEN, pairs=400), *IN_PARTS)
    assert not review["partial"]
    assert any("were not compared" in note for note in review["notes"])


def test_secret_next_to_a_reference_is_masked(change: Repository) -> None:
    """Prompts about pairs are masked like all others."""
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    change.commit({"shop/page.py": SHOWN.replace("seconds", f"{secret} seconds")}, "a token")
    change.git("checkout", "-q", "main")
    change.commit({"shop/page.py": SHOWN.replace("seconds", f"{secret} seconds")}, "a token")
    change.git("checkout", "-q", "feature")
    change.git("rebase", "-q", "main")
    played = Led()
    read(change, played, *IN_PARTS)
    assert played.seen
    assert not any(secret in text for text in played.seen)


def test_without_a_root_one_prompt_contains_the_most_relevant_pairs(change: Repository) -> None:
    """Workers read everything and the root's model reads the pairs, but not at effort low."""
    played = Led(BROKEN)
    review = reviewed(change, played, "--strategy", "fanout")
    assert [finding["title"] for finding in review["findings"]] == [TITLE]
    assert (played.asked.count("pairs"), played.asked.count("opinion"), played.asked.count("turn")) == (1, 1, 0)
    thrifty = Led(BROKEN)
    assert read(change, thrifty, "--strategy", "fanout", "--effort", "low")["findings"] == []
    assert "pairs" not in thrifty.asked


class Curious(Led):
    """A root that looks something up in every turn and never finishes."""

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """Return a block that prints text which the root has not seen."""
        reply = super().__call__(body)
        if self.asked[-1] == "turn":
            part = chr(97 + self.asked.count("turn"))
            return Reply(calls=doubles.code(f"print('what was not seen before: {part}')").calls)
        return reply


def test_large_change_at_medium_effort_gets_a_root_with_limited_turns(repository: Repository) -> None:
    """With over 400 code regions, the root starts from the pairs' results and has at most eight turns."""
    modules = {
        f"shop/many_{m}.py": "".join(
            f"def rate_{chr(97 + n // 10)}{chr(97 + n % 10)}_{m}(amount):\n    return amount * {n} / 100\n\n\n"
            for n in range(58)
        )
        for m in range(7)
    }
    before: dict[str, str | bytes | None] = {
        "shop/__init__.py": "", "shop/clock.py": BEFORE, "shop/pauses.py": PASSED, "shop/page.py": SHOWN, **modules,
    }  # fmt: skip
    repository.commit(before, "before")
    repository.git("checkout", "-qb", "feature")
    after = {path: text.replace("/ 100", "/ 100 + 0") for path, text in modules.items()}
    repository.commit({"shop/clock.py": AFTER, **after}, "after")
    played = Curious(BROKEN)
    review = read(repository, played)
    units = [row for row in review["coverage"]["readings"] if row["kind"] == "unit"]
    assert len(units) > 400
    assert {row["state"] for row in units} == {"reviewed"}
    assert (review["strategy"]["name"], played.asked.count("turn")) == ("rlm", 8)
    assert "in at most 8 turns" in review["strategy"]["reason"]
    assert BROKEN["why"] in played.first
    assert tokens(played.first) <= 10_000
