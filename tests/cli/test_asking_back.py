"""A model pass that asks to see more code before it answers, through real sockets."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from fakes import Repository
from families import few
from recorded import deeprepo
from reported import reported

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Modes, Reply, Server

FINDING = reported(
    "shop/rate.py",
    "    return None",
    2,
    "rate() returns None, which the invoice multiplies",
    category="broken-caller",
    evidence=[{"path": "shop/deep/invoice.py", "quote": "    return amount * table['vat']"}],
)
GUESS = {**FINDING, "title": "A guess that the last answer takes back", "quote": "def rate():"}
KEPT = reported("shop/rate.py", "    return None", 2, "A finding that the last answer tells otherwise")
VERDICT = {"verdict": "confirmed", "trigger": "print_invoice(3)", "author_would_change": True, "reason": "It is so."}
WISH = {"kind": "definition", "name": "print_invoice", "path": "", "start": 0, "end": 0, "before": False}
WISHES = [
    WISH,
    {**WISH, "kind": "uses", "name": "table"},
    {**WISH, "kind": "search", "name": "vat.*table|no_such_thing"},
    {**WISH, "kind": "search", "name": "[unclosed", "path": "nowhere/*.{ts,tsx}"},
    {**WISH, "kind": "lines", "name": "", "path": "shop/invoice.py", "start": 1, "end": 9},
    {**WISH, "kind": "lines", "name": "", "path": "shop/rate.py", "start": 1, "end": 2, "before": True},
]
DIALECTS = [
    ("compatible/reader", ()),
    ("openai/gpt-5-mini", ()),
    ("gemini/gemini-3-pro-preview", ()),
    ("compatible/reader", ("response_format",)),  # accepts only a forced tool
    ("compatible/reader", ("response_format", "tool_choice", "tools")),  # accepts only text
    ("anthropic/claude-sonnet-5-5", ()),
    ("anthropic/claude-haiku-4-5", ()),
]


@pytest.fixture
def changed(repository: Repository) -> Repository:
    """Commit a function that now returns None, and code that uses its result without importing it."""
    repository.commit(
        {
            "shop/rate.py": "def rate():\n    return 0.2\n",
            "shop/deep/invoice.py": "table = {}\n\n\ndef print_invoice(amount):\n    # far away\n    return amount * table['vat']\n",
            "tests/test_table.py": "from shop.deep.invoice import table\n\ntable.clear()\n",
        }
    )
    repository.commit({"shop/rate.py": "def rate():\n    return None\n"})
    return repository


def turn(body: Mapping[str, Any]) -> int:
    """Return how many answers a conversation already contains."""
    return sum(message["role"] == "assistant" for message in body["messages"])


def said(body: Mapping[str, Any]) -> str:
    """Return the conversation's user messages after the first, without a format described in text."""
    texts = [m["content"] for m in body["messages"] if m["role"] == "user"]
    return "\n".join(t if isinstance(t, str) else "\n".join(b.get("text", "") for b in t) for t in texts[1:])


def offers(body: Mapping[str, Any]) -> bool:
    """Return whether the answer's format has the field `look_ups`, wherever the provider puts the format."""
    return '"look_ups"' in json.dumps({name: part for name, part in body.items() if name != "system"}).replace("\\", "")


def is_verdict(body: Mapping[str, Any]) -> bool:
    return "You check one claim" in json.dumps([body.get("system"), body["messages"][0]])


def reader(wishes: Sequence[object], last: Reply | None = None) -> Callable[[Mapping[str, Any]], Reply]:
    """Return a model that first asks for look-ups and guesses, then reports the finding and confirms it."""

    def answer(body: Mapping[str, Any]) -> Reply:
        if is_verdict(body):
            return Reply(data=VERDICT)
        if turn(body) == 0 and offers(body):
            return Reply(data={"answer": "Perhaps.", "findings": [GUESS, KEPT], "look_ups": list(wishes)})
        return last or Reply(data={"answer": "Seen.", "findings": [FINDING], "withdrawn": [1]})

    return answer


def review(repository: Repository, server: Server, model: str, *options: str, **env: str) -> tuple[dict[str, Any], int]:
    """Return the review's JSON output and its exit code."""
    provider = model.partition("/")[0].upper()
    url = server.anthropic_url if provider == "ANTHROPIC" else server.openai_url
    env |= {f"{provider}_API_KEY": "a-key", f"DEEPREPO_BASE_URL_{provider}": url}
    form = ("--strategy", "parts", "--worker", model, "--format", "json", *options)
    done = deeprepo("review", "HEAD~1..HEAD", *form, cwd=repository.folder, **env)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.returncode


def titles(found: Mapping[str, Any]) -> list[str]:
    return [finding["title"] for finding in found["findings"]]


@pytest.mark.parametrize(("model", "refuses"), few(DIALECTS, *range(0, len(DIALECTS), 4)))
def test_lookups_are_answered_in_one_dialogue(changed: Repository, model: str, refuses: tuple[str, ...]) -> None:
    """Two calls with the same format, for each provider. The last answer withdraws one finding by number."""
    modes = Modes(thinks=50, thinking="blocks") if model.startswith("anthropic/") else Modes()
    server = Server(reader(WISHES), rejects=refuses, modes=modes)
    with doubles.in_thread(server):
        found, _ = review(changed, server, model)
    assert titles(found) == [FINDING["title"]]
    answered = [body for body in server.requests if not is_verdict(body)]
    first, last = answered[-2:]
    assert (turn(first), turn(last)) == (0, 1)
    assert offers(first)
    form = "tools" if "tools" in first else "response_format"
    assert last.get(form) == first.get(form)  # else no provider could cache the conversation's beginning
    shown = said(last)
    assert "6     return amount * table['vat']" in shown
    assert shown.count("6     return amount * table['vat']") == 1
    assert "shop/deep/invoice.py" in shown.split("## lines 1 to 9")[1]  # the file that was probably meant
    assert "no text file has a path like nowhere/*.{ts,tsx}" in shown
    assert "2     return 0.2" in shown.split("(before the change)")[1]


@pytest.mark.parametrize(
    "last",
    [
        Reply("no", status=400),
        Reply(stop="length", text='{"answer": "Se'),
        Reply(stop="refusal", text="I cannot help with that."),
        Reply("Let me think about this some more."),
    ],
)
def test_first_findings_are_kept_if_the_second_call_fails(changed: Repository, last: Reply) -> None:
    """A failed second call is named in the notes, and the first call's findings are still confirmed."""
    server = Server(reader([WISH], last))
    with doubles.in_thread(server):
        found, _ = review(changed, server, "compatible/reader")
    assert titles(found) == [GUESS["title"], KEPT["title"]]
    assert "asked to see more code" in " ".join(found["notes"])


@pytest.mark.parametrize(
    ("last", "state"),
    [
        (Reply(data=VERDICT), [(FINDING["title"], "confirmed", False)]),
        (Reply(data={**VERDICT, "verdict": "unproven", "look_ups": [WISH]}), []),
        (Reply("no", status=400), [(FINDING["title"], "unproven", True)]),
    ],
)
def test_confirmation_can_ask_for_lookups_before_its_verdict(
    changed: Repository, last: Reply, state: list[tuple[str, str, bool]]
) -> None:
    """The confirmation's last verdict counts. Without one, the finding stays, marked as unconfirmed."""

    def answer(body: Mapping[str, Any]) -> Reply:
        if not is_verdict(body):
            return Reply(data={"answer": "", "findings": [FINDING]})
        return last if turn(body) else Reply(data={**VERDICT, "verdict": "unproven", "look_ups": [WISH]})

    server = Server(answer)
    with doubles.in_thread(server):
        found, _ = review(changed, server, "compatible/reader")
    told = [one for one in found["findings"] if one["status"] == "new"]
    assert [(f["title"], f["verdict"], f["unconfirmed"]) for f in told] == state
    assert "# far away" in json.dumps(server.requests[-1]["messages"])  # once, in whichever message had room first
    assert "Now give the verdict" in said(server.requests[-1])
