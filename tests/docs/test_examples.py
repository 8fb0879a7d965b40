"""Run the programs in `examples` as a user would."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fakes import Repository

from deeprepo_sandbox.providers import Reply, Server, code, in_thread

ROOT = Path(__file__).parents[2]
BEFORE = {
    "prices.py": "def total(prices):\n    return sum(prices)\n",
    "shop.py": "from prices import total\n\n\ndef buy():\n    return total([1, 2])\n",
    "tests/test_prices.py": "from prices import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
}
AFTER = {"prices.py": "def total(prices, tax):\n    return sum(prices) * tax\n"}
EXAMPLES = sorted((ROOT / "examples").glob("[a-z]*.py"))


@pytest.fixture
def shop(repository: Repository) -> Path:
    """A repository whose branch `feature` adds a parameter."""
    repository.commit(dict(BEFORE))
    repository.git("checkout", "--quiet", "-b", "feature")
    repository.commit(dict(AFTER))
    return repository.folder


def example(name: str, *arguments: str, cwd: Path, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run an example with this input and return the finished process."""
    return subprocess.run(
        [sys.executable, str(ROOT / "examples" / name), *arguments],
        cwd=cwd,
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )


def test_gate_example_fails_for_a_forgotten_caller(shop: Path, tmp_path: Path) -> None:
    """The exit code is 1, and the report is written as Markdown and SARIF."""
    done = example("gate.py", str(shop), "main..feature", cwd=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[0].partition(": total()")[0]) == (1, "shop.py:5: high"), (
        done.stderr
    )
    assert "shop.py" in (tmp_path / "review.md").read_text()
    assert json.loads((tmp_path / "review.sarif").read_text())["version"] == "2.1.0"


def test_selection_example_prints_the_affected_tests(shop: Path, tmp_path: Path) -> None:
    """The tests are printed to standard output for pytest, and the reasons to standard error."""
    done = example("select_tests.py", str(shop), "main..feature", cwd=tmp_path)
    assert done.stdout == "tests/test_prices.py\n"
    assert "uses prices.py:total" in done.stderr


def test_question_example_uses_a_custom_tool(tmp_path: Path) -> None:
    """The scripted root searches, calls the tool and answers."""
    (tmp_path / "bills").mkdir()
    (tmp_path / "bills" / "may.txt").write_text("Total: 100 USD\n")
    blocks = iter(["hits = search('Total')\nprint(hits)", "set_answer(euros(100.0, 'USD'))"])
    with in_thread(Server(lambda _: code(next(blocks)))) as server:
        done = example(
            "ask_texts.py", "bills", "How much in May?", "compatible/scripted", server.openai_url, cwd=tmp_path
        )
    assert (done.returncode, done.stdout) == (0, "86.0\n"), done.stderr
    assert "may.txt:1: Total: 100 USD" in done.stderr


def test_session_example_answers_each_line(tmp_path: Path) -> None:
    """The second question uses a variable from the first, and calls and costs are printed."""
    (tmp_path / "a.txt").write_text("Ada signed.\n")
    blocks = iter(["who = ask(tree, 'Who?')['answer']\nset_answer(who)", "set_answer(len(who))"])
    read = Reply(data={"answer": "Ada", "found": True, "quotes": [{"path": "a.txt", "quote": "Ada signed."}]})
    with in_thread(Server(lambda body: code(next(blocks)) if body.get("tools") else read)) as server:
        where = "compatible/scripted", server.openai_url
        done = example("session.py", ".", *where, cwd=tmp_path, typed="Who signed?\n\nHow long is that name?\n")
    assert (done.returncode, done.stdout) == (0, "Ada\n3\n"), done.stderr
    assert "compatible/scripted has read something: 2 calls" in done.stderr
    assert "answered: 1 call, " in done.stderr


def test_extraction_example_returns_typed_rows(tmp_path: Path) -> None:
    """A row that doesn't fit the type is refused, and the root's code can choose a worker."""
    (tmp_path / "a.txt").write_text("Acme, until further notice.\n")
    begun = "print(llm_query(context['a.txt'], worker='strong'))\nset_answer([{'party': 'Acme', 'end': 'never'}])"
    blocks = iter([begun, "set_answer([{'party': 'Acme', 'end': None}, {'party': 'Bell', 'end': '2027-01-31'}])"])
    with in_thread(Server(lambda body: code(next(blocks)) if body.get("tools") else "It does not end.")) as server:
        names = [f"compatible/{name}" for name in ("root", "small", "large")]
        done = example("extract.py", ".", *names, server.openai_url, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "2027-01-31 Bell\nopen Acme\n"), done.stderr
    assert [request["model"] for request in server.requests] == ["root", "large", "root"]
    assert "worker compatible/large" in done.stderr
