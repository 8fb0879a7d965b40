"""Whether a repository's secrets reach a model provider, the journal or a published output."""

import asyncio
import base64
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from families import few
from secret_samples import SAMPLES

from bot.outputs import OUTPUTS, posts
from bot.render import load
from bot.secrets.masking import PLACEHOLDER, Masks
from bot.values import Review, TypedChange
from bot.wiring.review import local_review
from bot.workflow.publish import checks
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import PerModel, Reply, Server

STRATEGIES = ("parts", "root", "parts", "rlm")
CODE = "def total(rows, rate):\n    return sum(row * rate for row in rows)\n"
CALL = "from shop.price import total\n\n\ndef pay(rows):\n    return total(rows, 2)\n"
ROOT = (
    "print([text for text in files.values()])\n"
    "print([unit['text'] + unit['diff'] for unit in units], diff(), pr)\n"
    "for path in tree:\n    print(read(path), read(path, base=True))\n"
    "print(search('.'), search('.', base=True))\n"
    "print([text[::-1] for text in files.values()], [' '.join(text) for text in files.values()])\n"
    "print(llm_query(files['shop/price.py']), ask(['shop/price.py', 'docs/unchanged.yml'], 'what is that?'))\n"
)


class Tap:
    """A review whose models quote the masked lines that they are shown."""

    def __init__(self, repository: Repository, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.repository, self.folder = repository, folder
        self.journal = folder / "review.jsonl"
        self.requests = ""
        self.patch = patch

    def worker(self, body: Mapping[str, Any]) -> Reply:
        """Report the first masked line of the changed file, with a suggestion that repeats it."""
        text = "\n".join(str(message["content"]) for message in body["messages"])
        if "The claim, about" in text:
            return Reply(data={"verdict": "confirmed", "trigger": "t", "author_would_change": True, "reason": "r"})
        line = re.search(r"^\+?\d* ?(.*MASKED_SECRET_\w+.*)$", text.partition("--- shop/price")[2], re.MULTILINE)
        quote = line[1] if line else "    return sum(row * rate for row in rows)"
        word = PLACEHOLDER.search(quote)
        found = {
            "path": "shop/price.py", "quote": quote, "line": 1, "title": f"Look at {word[0] if word else 'this'}",
            "why": f"It is {quote}", "consequence": "c", "trigger": "t", "severity": "high", "category": "logic",
            "evidence": [{"path": "shop/price.py", "quote": quote}], "suggestion": quote + " # mended",
        }  # fmt: skip
        return Reply(data={"answer": f"Read: {quote}", "findings": [found]})

    def review(self, strategy: str) -> Review:
        """Review the branch, and record all requests and the journal."""
        turns = [doubles.code(ROOT), doubles.code("print(findings(), budget())\nset_answer(files['shop/price.py'])")]

        def root(body: Mapping[str, Any]) -> Reply:
            if "response_format" in body:
                return self.worker(body)
            return turns.pop(0) if turns else doubles.code("set_answer('Fine.')")

        with doubles.in_thread(Server(PerModel({"root": root, "worker": self.worker}))) as server:
            self.patch.setenv("DEEPREPO_BASE_URL", server.openai_url)
            names = {"worker": "compatible/worker", "root": "compatible/root"}
            scratch = self.folder / "scratch"
            scratch.mkdir(exist_ok=True)
            flags = {**names, "strategy": strategy, "journal": str(self.journal)}
            done = asyncio.run(local_review(TypedChange(str(self.repository.folder)), flags, str(scratch)))
            self.requests += json.dumps(server.requests)
        assert server.count
        return done


@pytest.fixture
def tap(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tap:
    """Return a helper for a repository that contains no secrets yet."""
    repository.commit({"shop/cart.py": CALL, "r": "x"}, "before")
    return Tap(repository, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("rule", "strategy"),
    few([(rule, STRATEGIES[at % len(STRATEGIES)]) for at, rule in enumerate(sorted(SAMPLES))], *range(5)),
)
def test_secrets_never_leave_the_review(tap: Tap, rule: str, strategy: str) -> None:
    """Added, removed and unchanged secrets are in no request, journal or output; findings stay."""
    path, line, secrets = SAMPLES[rule]
    suffix = path.rpartition(".")[2]
    base = {"shop/price.py": f"{CODE}# {line.splitlines()[0]}\n" if suffix == "py" else CODE}
    base |= {f"conf/removed.{suffix}": f"a = 1\n{line}\n", f"docs/unchanged.{suffix}": f"{line}\n", "AGENTS.md": line}
    tap.repository.commit({**base}, "base")
    tap.repository.git("checkout", "-qb", "feature")
    added = CODE.replace("row * rate", "row * rate + 1") + "".join(f"# {each}\n" for each in line.split("\n"))
    tap.repository.commit(
        {"shop/price.py": added, f"conf/removed.{suffix}": "a = 2\n", f"conf/added.{suffix}": f"b = 1\n{line}\n"},
        f"Change\n\n{line}\n",
    )
    done = tap.review(strategy)
    journal = tap.journal.read_text()
    comments = posts.comments(done)
    pages = {name: output().render(done) for name, output in OUTPUTS.items()}
    pages |= {"posts": f"{comments}", "annotations": f"{checks.annotations(done, load())}", "caller": repr(done)}
    for secret in secrets:
        assert secret not in tap.requests
        assert secret not in journal
        assert [name for name, page in pages.items() if secret in page] == []
        assert secret[::-1] not in tap.requests
        assert " ".join(secret) not in tap.requests
    assert PLACEHOLDER.search(tap.requests)
    assert "row * rate + 1" in tap.requests  # the requests do contain the changed code
    assert not any(placed.replacement and "MASKED" in placed.replacement for placed in done.findings)


def test_finding_quotes_the_original_line(tap: Tap) -> None:
    """The finding quotes the file's own line. A suggestion with a placeholder or a secret is refused."""
    _, line, (secret,) = SAMPLES["github-token"]
    tap.repository.git("checkout", "-qb", "feature")
    tap.repository.commit({"shop/price.py": f"{CODE}{line}\n"}, "feature")
    done = tap.review("parts")
    (one,) = [placed for placed in done.findings if placed.finding.title.startswith("Look at")]
    assert one.finding.start == 3
    assert one.finding.quote.strip().startswith("const g = ")
    assert (one.replacement, one.refused) == (None, "secret")
    assert secret not in repr(done)


@pytest.mark.parametrize("width", [16, 24, 64])
@pytest.mark.parametrize("frame", ["{}", '    "{}\\n" +', "key += '{}'", "+12 {}", "# {}", "lines.append(b'{}')"])
def test_key_rows_are_always_masked(width: int, frame: str) -> None:
    """Rows are masked whatever their length or surroundings, even if the end of the key is missing."""
    body = base64.b64encode(hashlib.shake_256(frame.encode()).digest(634)).decode()
    rows = [body[at : at + width] for at in range(0, len(body), width)]
    mark = "-----BEGIN " + "PRIVATE KEY-----"
    text = "\n".join([frame.format(mark), *map(frame.format, rows)])
    masks = Masks()
    masks.learn(text)
    hidden = masks.hide_known(text)
    assert [row for row in rows if row in hidden] == []
