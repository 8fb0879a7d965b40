"""What models see of the repositories that use the reviewed one, through real sockets."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from recorded import Ended, deeprepo
from reported import reported

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import PerModel, Reply, Server

Others = Callable[[str], Repository]
SECRET = "AKIA" + "QYLPMN5HIWR7KTZA"
FINDING = reported(
    "quotes.py",
    "    return cents / 100",
    2,
    "price() returns euros, and billing still divides by 100",
    category="contract",
    evidence=[{"path": "billing:deep/pay.py", "quote": "    return price(3000) / 100"}],
)
VERDICT = {"verdict": "confirmed", "trigger": "pay()", "author_would_change": True, "reason": "It is so."}
WISH = {"kind": "uses", "name": "price", "path": "billing:*", "start": 0, "end": 0, "before": False}
WISHES = [
    WISH,
    {**WISH, "kind": "definition", "name": "pay"},
    {**WISH, "kind": "search", "name": "key_of|no_such_thing", "path": "billing:deep/*"},
    {**WISH, "kind": "lines", "name": "", "path": "billing:nowhere.py", "start": 1, "end": 9},
]


@pytest.fixture
def library(repository: Repository) -> Repository:
    """Commit a library function that keeps its signature but now returns something else."""
    repository.commit(
        {"pyproject.toml": '[project]\nname = "quotes"\n', "quotes.py": "def price(cents):\n    return cents\n"}
    )
    repository.commit({"quotes.py": "def price(cents):\n    return cents / 100\n"})
    return repository


@pytest.fixture
def billing(repositories: Others) -> Repository:
    """Commit a service that depends on the old return value."""
    made = repositories("billing")
    made.commit({
        "requirements.txt": "quotes==1\n",
        "deep/pay.py": f"from quotes import price\n\nkey_of = '{SECRET}'\n\n\ndef pay():\n    return price(3000) / 100\n",
    })  # fmt: skip
    return made


def messages_of(body: Mapping[str, Any]) -> str:
    """Return all messages of a conversation as one text."""
    return "\n".join(str(message["content"]) for message in body["messages"])


def is_verdict(body: Mapping[str, Any]) -> bool:
    return "You check one claim" in messages_of(body)


def worker(body: Mapping[str, Any]) -> Reply:
    """Ask for the consumer's code first, then report the finding, which is confirmed."""
    if is_verdict(body):
        return Reply(data=VERDICT)
    if not any(message["role"] == "assistant" for message in body["messages"]):
        return Reply(data={"answer": "Perhaps.", "findings": [], "look_ups": WISHES})
    return Reply(data={"answer": "Seen.", "findings": [FINDING]})


def review(library: Repository, server: Server, *options: str, strategy: str = "parts") -> Ended:
    """Review the last commit with the given server's models."""
    models = ("--strategy", strategy, "--worker", "compatible/worker", "--root", "compatible/root")
    return deeprepo(
        "review", "HEAD~1..HEAD", *models, "--format", "json", *options,
        cwd=library.folder, COMPATIBLE_API_KEY="a-key", DEEPREPO_BASE_URL=server.openai_url,
    )  # fmt: skip


def only_finding(done: Ended) -> dict[str, Any]:
    """Return a review's only finding."""
    assert done.stdout, done.stderr
    (finding,) = json.loads(done.stdout)["findings"]
    return dict(finding)


def test_model_looks_into_a_consumer_and_quotes_it(library: Repository, billing: Repository) -> None:
    """Models see a consumer's references, definitions, searches and lines; evidence names the commit."""
    server = Server(PerModel({"worker": worker, "root": worker}))
    with doubles.in_thread(server):
        finding = only_finding(review(library, server, "--with", str(billing.folder), "--effort", "high"))
    first, last = [body for body in server.requests if not is_verdict(body)][:2]
    assert "These repositories use this one: billing." in messages_of(first)
    shown = messages_of(last)
    assert "7     return price(3000) / 100" in shown
    assert "billing:deep/pay.py" in shown
    assert "billing:nowhere.py" in shown
    assert SECRET not in "".join(map(messages_of, server.requests))
    (evidence,) = [item for item in finding["evidence"] if item["repository"]]
    commit = billing.git("rev-parse", "HEAD")
    assert (evidence["path"], evidence["line"], evidence["repository"], evidence["commit"]) == (
        "billing:deep/pay.py", 7, "billing", commit,
    )  # fmt: skip
    assert finding["consumer"] == "billing"
    confirmations = [messages_of(body) for body in server.requests if is_verdict(body)]
    assert confirmations
    assert all(
        "which uses this one (after the change) ---\n7     return price(3000) / 100" in text for text in confirmations
    )


ROWS = ["MHcCAQEEIGm9u2Kf0a7VtqXw3bJYp5sZcR1Lh8NeQ4TdUoIvSgBkoAoGCCqGSM49", "AwEHoUQDQgAE0Zr3Yx5vQ8nT1kLw=="]
ABOVE = {  # code above a reference, and the values in it that must not leak
    "a value under its name": ("DB_PASSWORD = (\n    'Tr0ub4dor&3zXq9!'\n)\nx = 1\n", ["Tr0ub4dor"]),
    "the end of a key": ("KEY = (\n    '-----BEGIN EC PRIVATE KEY-----\\n'\n" + "".join(f"    '{row}\\n'\n" for row in ROWS) + "    '-----END EC PRIVATE KEY-----')\n", ROWS[1:]),
}  # fmt: skip


@pytest.mark.parametrize(("above", "values"), ABOVE.values(), ids=ABOVE)
def test_secret_named_above_the_shown_lines_is_masked(
    library: Repository, repositories: Others, above: str, values: list[str]
) -> None:
    """A secret is masked even if the line that identifies it is above the lines that are shown."""
    billing = repositories("billing")
    code = f"from quotes import price\n\n\n\n\n{above}print(price(3000))\n"
    billing.commit({"requirements.txt": "quotes==1\n", "pay.py": code})
    library.commit({"quotes.py": "def price(cents, rate):\n    return cents * rate\n"})
    server = Server(PerModel({name: Reply(data={"answer": "Read.", "findings": []}) for name in ("worker", "root")}))
    with doubles.in_thread(server):
        done = review(library, server, "--with", str(billing.folder), "--no-verify")
    shown = "".join(map(messages_of, server.requests))
    assert "print(price(3000))" in shown
    assert "billing:pay.py" in done.stdout
    assert not [value for value in values if value in shown + done.stdout]


def test_consumer_from_settings_is_not_shown_to_models(library: Repository, billing: Repository) -> None:
    """Look-ups only work in clones named on the command line, not in those from the settings."""
    library.git("checkout", "--quiet", "-b", "feature")
    library.git("checkout", "--quiet", "-b", "base", "HEAD~1")
    library.commit({".deeprepo.yml": f"consumers: [{Path('..', billing.folder.name)}]\n"})
    library.git("checkout", "--quiet", "feature")
    library.git("rebase", "--quiet", "base")
    server = Server(PerModel({"worker": worker, "root": worker}))
    with doubles.in_thread(server):
        done = review(library, server)
    assert json.loads(done.stdout)["consumers"][0]["state"] == "checked"
    texts = "".join(map(messages_of, server.requests))
    assert "These repositories use this one" not in texts
    assert "price(3000)" not in texts.replace(str(FINDING["evidence"]), "")
