import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import is_dataclass
from pathlib import Path

import pytest
from fakes import Repository

import deeprepo
from bot import errors
from deeprepo import _errors
from deeprepo.rlm import errors as rlm_errors
from deeprepo_sandbox.providers import Reply, Server, in_thread

ROOT = Path(__file__).parents[2]
KEY = "sk-a-key-that-nobody-may-see"
BEFORE = {
    "prices.py": "def total(prices):\n    return sum(prices)\n",
    "shop.py": "from prices import total\n\n\ndef buy():\n    return total([1, 2])\n",
    "tests/test_prices.py": "from prices import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
}
AFTER = {"prices.py": "def total(prices, tax):\n    return sum(prices) * tax\n"}


@pytest.fixture
def shop(repository: Repository) -> Path:
    """A repository whose branch `feature` adds a parameter."""
    repository.commit(dict(BEFORE))
    repository.git("checkout", "--quiet", "-b", "feature")
    repository.commit(dict(AFTER))
    return repository.folder


def python(script: str, *, cwd: Path | None = None) -> str:
    """Run a script in a new interpreter and return its output."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=cwd or ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT)},
    )
    return done.stdout


def test_other_package_called_bot_is_named(shop: Path) -> None:
    """In a project with its own package `bot`, the library says so, and the command works."""
    (shop / "bot").mkdir()
    (shop / "bot" / "__init__.py").touch()
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{shop}{os.pathsep}{ROOT}"}
    for arguments, shows in (
        (("-c", "import deeprepo; deeprepo.review('.', 'main..feature')"), f"Python finds {shop / 'bot'}"),
        (("-m", "deeprepo", "review", "main..feature"), "shop.py:5"),
    ):
        done = subprocess.run(
            [sys.executable, *arguments], cwd=shop, env=environment, capture_output=True, text=True, check=False
        )
        assert shows in done.stdout + done.stderr


def test_import_is_quick_and_loads_no_heavy_library() -> None:
    """The import takes at most 0.15 s of CPU time and loads no heavy library."""
    heavy = "{'asyncio', 'pydantic', 'jinja2', 'tree_sitter', 'httpx2', 'openai', 'anthropic', 'rich', 'typer'}"
    took, loaded = python(
        "import time, sys; t = time.process_time(); import deeprepo; took = time.process_time() - t\n"
        f"print(took); print(sorted({heavy} & set(sys.modules)))"
    ).splitlines()
    assert float(took) <= 0.15
    assert loaded == "[]"


def test_every_public_dataclass_is_frozen() -> None:
    """All public dataclasses are frozen."""
    values = [kind for name in deeprepo.__all__ if is_dataclass(kind := getattr(deeprepo, name))]
    assert len(values) == 17
    assert all(kind.__dataclass_params__.frozen for kind in values)


def test_api_page_is_current() -> None:
    """docs/api.md equals the output of `make docs`."""
    made = subprocess.run([sys.executable, ".ci/api.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert made.stdout == (ROOT / "docs" / "api.md").read_text()


def test_every_internal_error_becomes_a_public_one() -> None:
    """Each internal error becomes a specific public error with the same message and the original as cause."""
    kinds = [
        kind
        for kind in (vars(errors) | vars(rlm_errors)).values()
        if isinstance(kind, type) and issubclass(kind, errors.DeepRepoError)
    ]
    assert len(kinds) > 20
    for kind in kinds:
        error = kind.__new__(kind, "a sentence")
        with pytest.raises(deeprepo.DeepRepoError, match="a sentence") as raised, _errors.translate():
            raise error
        assert raised.value.__cause__ is error
        assert type(raised.value) is not deeprepo.DeepRepoError


def test_to_json_matches_the_command_output(shop: Path) -> None:
    """`to_json` equals `deeprepo review --format json` except for the duration."""
    review = deeprepo.review(shop, "main..feature")
    command = (
        "import sys; from bot.cli import main; sys.exit(main(['review', 'main..feature', '--format', 'json', '-q']))"
    )
    printed, made = json.loads(python(command, cwd=shop)), json.loads(review.to_json())
    assert {**printed, "seconds": 0} == {**made, "seconds": 0}
    assert [(found.path, found.start, found.verdict) for found in review.findings] == [("shop.py", 5, "proven")]
    assert "tests/test_prices.py" in review.to_markdown()
    assert "shop.py" in review.to_markdown()
    assert json.loads(review.to_sarif())["runs"][0]["results"][0]["ruleId"]
    assert [found.path for found in review.reaching("high")] == ["shop.py"]
    assert review.strategy == "offline"
    assert review.complete
    assert (review.base, review.head) == (made["pull"]["base"], made["pull"]["head"])
    assert [found.title for found in review.findings] == [row["title"] for row in made["findings"]]


def test_every_way_of_calling_gives_the_same_review(shop: Path) -> None:
    """The result is equal when awaited, inside a running event loop, and next to other threads."""
    first = deeprepo.review(shop, "main..feature").findings

    async def inside() -> tuple[deeprepo.Finding, ...]:
        return deeprepo.review(shop, "main..feature").findings

    assert asyncio.run(inside()) == first
    assert asyncio.run(deeprepo.review_async(shop, "main..feature")).findings == first
    ended = threading.Event()
    beside = threading.Thread(target=ended.wait)
    beside.start()
    try:
        assert deeprepo.review(shop, "main..feature").findings == first
    finally:
        ended.set()
        beside.join()


def test_scope_selects_uncommitted_changes(shop: Path) -> None:
    """`scope` selects staged or all uncommitted changes."""
    (shop / "shop.py").write_text(BEFORE["shop.py"].replace("[1, 2]", "[1, 2], 3"))
    assert [file.path for file in deeprepo.analyze(shop, scope="uncommitted").files] == ["shop.py"]
    with pytest.raises(deeprepo.NothingToReview, match="nothing is staged"):
        deeprepo.analyze(shop, scope="staged")


def test_impact_has_definitions_references_and_broken_contracts(shop: Path) -> None:
    """The result has both signatures, the function around each reference, and calls that no longer match."""
    impact = deeprepo.analyze(shop, "main..feature")
    (definition,) = impact.definitions
    assert (definition.id, definition.before, definition.after) == (
        "prices.py:total",
        "def total(prices)",
        "def total(prices, tax)",
    )
    assert definition.contract == ("parameters",)
    calls = [
        (use.path, use.line, use.function, use.sure, use.test)
        for use in impact.uses_of(definition)
        if use.form == "call"
    ]
    assert sorted(calls) == [("shop.py", 5, "buy", True, False), ("tests/test_prices.py", 5, "test_total", True, True)]
    assert {row.path: row.test for row in impact.dependents} == {"shop.py": False, "tests/test_prices.py": True}
    first = impact.broken[0]
    assert (first.path, first.line, first.rule, first.proven) == ("shop.py", 5, "required-parameter", True)
    assert json.loads(impact.to_json()) == json.loads(json.dumps(impact.to_dict()))
    assert asyncio.run(deeprepo.analyze_async(shop, "main..feature")) == impact


@pytest.mark.parametrize(
    ("call", "kind", "says"),
    [
        (lambda _: deeprepo.review("/nowhere/at/all"), deeprepo.UsageError, "/nowhere/at/all"),
        (lambda repo: deeprepo.review(repo, "main..nix"), deeprepo.UsageError, "nix"),
        (lambda repo: deeprepo.analyze(repo, "--output=x"), deeprepo.UsageError, "not a revision"),
        (lambda repo: deeprepo.analyze(repo, "main..main"), deeprepo.NothingToReview, "main is compared with itself"),
        (
            lambda repo: asyncio.run(deeprepo.analyze_async(repo, "main..main")),
            deeprepo.NothingToReview,
            "main is compared with itself",
        ),
        (lambda repo: deeprepo.analyze(repo, "main", scope="staged"), deeprepo.UsageError, "one of"),
        (lambda repo: deeprepo.analyze(repo, scope="all"), deeprepo.UsageError, "scope='all'"),
        (lambda repo: deeprepo.review(repo, "main..feature", root="nobody/knows"), deeprepo.UsageError, "nobody"),
        (lambda repo: deeprepo.review(repo, "main..feature", effort="much"), deeprepo.UsageError, "effort"),
        (lambda repo: deeprepo.review(repo, "main..feature", budget=-1), deeprepo.UsageError, "budget"),
        (lambda _: deeprepo.RLM("openai/gpt-5.4").run("?", "text"), deeprepo.UsageError, "OPENAI_API_KEY"),
        (lambda _: deeprepo.RLM("openai/gpt-5.4", budget=-1.0), deeprepo.UsageError, "budget"),
        (lambda _: deeprepo.RLM("openai/gpt-5.4").run(" ", "text"), deeprepo.UsageError, "query is empty"),
    ],
)
def test_errors_belong_to_the_library_hierarchy(
    shop: Path, call: Callable[[Path], object], kind: type[Exception], says: str
) -> None:
    """Each error belongs to the library's own hierarchy and has a clear message."""
    with pytest.raises(kind, match=says):
        call(shop)


def test_given_key_is_used_but_never_shown(shop: Path, tmp_path: Path) -> None:
    """The key reaches the provider, but no repr, error, output or journal contains it."""
    progress: list[str] = []
    with in_thread(Server(Reply(data={"answer": "", "findings": []}))) as server:
        model = deeprepo.Model("compatible/scripted", api_key=KEY, base_url=server.openai_url)
        journal = tmp_path / "journal.jsonl"
        review = deeprepo.review(
            shop,
            "main..feature",
            root=model,
            effort="low",
            budget=deeprepo.Budget(usd=None),
            journal=journal,
            on_progress=progress.append,
        )
    assert server.count > 0
    assert all(any(KEY in value for value in one.values()) for one in server.headers)
    assert review.cost.calls == server.count
    assert progress
    shown = [repr(model), repr(review), review.to_json(), journal.read_text(), *progress]
    with in_thread(Server(Reply("no such key", status=401))) as refusing:
        wrong = deeprepo.Model("compatible/scripted", api_key=KEY, base_url=refusing.openai_url)
        failed = deeprepo.review(shop, "main..feature", root=wrong)
    assert failed.interrupted_by == "provider"
    assert [found.path for found in failed.findings] == ["shop.py"]
    assert not [text for text in (*shown, repr(failed), *failed.notes) if KEY in text]


def test_review_can_be_cancelled(shop: Path) -> None:
    """`review_async` ends when its task is cancelled, even if the provider hangs."""

    async def broken_off(url: str) -> None:
        model = deeprepo.Model("compatible/scripted", base_url=url)
        async with asyncio.timeout(2.0):
            await deeprepo.review_async(shop, "main..feature", root=model)

    with in_thread(Server(Reply(fault="hang"))) as server, pytest.raises(TimeoutError):
        asyncio.run(broken_off(server.openai_url))
