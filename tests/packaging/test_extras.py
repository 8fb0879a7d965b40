"""Commands without optional extras: what works, and the error messages that name a missing extra."""

import json
import re
from pathlib import Path

import bare
import pytest
from fakes import Repository
from families import few

from bot.machine.extras import install

ROOT = Path(__file__).parents[2]
LOCKS = sorted(ROOT.glob("requirements*.lock"))
BEFORE = {
    "prices.py": "def total(prices):\n    return sum(prices)\n",
    "shop.py": "from prices import total\n\nprint(total([1, 2]))\n",
}
AFTER = {"prices.py": "def total(prices, tax):\n    return sum(prices) * tax\n"}
KEY = {"OPENAI_API_KEY": "sk-planted-planted"}
NO_SERVER = f"The server's dependencies are not installed: {install('server')}"
NO_MCP = f"The dependencies of `deeprepo mcp` are not installed: {install('mcp')}"
NO_MODELS = f"Support for models is not installed: {install('models')}"


@pytest.fixture
def base(tmp_path: Path) -> str:
    """The PYTHONPATH of an installation without extras."""
    return bare.path(tmp_path)


@pytest.fixture
def changed(repository: Repository) -> Path:
    """A checkout whose last commit forgets a caller."""
    repository.change(BEFORE, AFTER)
    return repository.folder


@pytest.mark.parametrize(
    ("command", "shows"),
    few(
        [
            (("--help",), "Review a change beyond its diff"),
            (("review", "HEAD~1..HEAD"), "shop.py:3"),
            (("review", "HEAD~1..HEAD", "--strategy", "offline", "--format", "sarif"), "shop.py"),
            (("config",), "quota"),
            (("estimate", "HEAD~1..HEAD"), "With `--effort none`"),
            (
                ("estimate", "HEAD~1..HEAD", "--worker", "openai/gpt-5.4-mini"),
                f"To see prices and the calls of a root model, install model support: {install('models')}",
            ),
        ],
        5,
    ),
    ids=str,
)
def test_static_review_needs_no_extra(base: str, changed: Path, command: tuple[str, ...], shows: str) -> None:
    """Commands on a checkout work without extras."""
    done = bare.deeprepo(changed, base, *command)
    assert done.returncode == 0, done.stderr
    assert shows in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("command", "env", "says"),
    few(
        [
            (("serve",), {}, NO_SERVER),
            (("serve", "--check"), {}, NO_SERVER),
            (("worker",), {}, NO_SERVER),
            (("status",), {}, NO_SERVER),
            (("mcp",), {}, NO_MCP),
            (("review", "HEAD~1..HEAD"), KEY, NO_MODELS),
            (("review", "HEAD~1..HEAD"), {"ANTHROPIC_API_KEY": "sk-ant-planted"}, NO_MODELS),
            (("review", "HEAD~1..HEAD"), {"DEEPREPO_WORKER": "ollama/x"}, NO_MODELS),
            (("review", "HEAD~1..HEAD", "--worker", "ollama/x"), {}, NO_MODELS),
            (("review", "HEAD~1..HEAD", "--root", "bedrock/x"), {}, NO_MODELS),
        ],
        0,
        4,
        5,
        10,
    ),
    ids=str,
)
def test_missing_extra_is_named(
    base: str, changed: Path, command: tuple[str, ...], env: dict[str, str], says: str
) -> None:
    """The error names the install command, and no review runs without the configured model."""
    done = bare.deeprepo(changed, base, *command, **env)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"deeprepo: {says}\n")


@pytest.mark.parametrize("path", ["Sources/Shop/Cart.swift", "src/main/scala/shop/Cart.scala"])
def test_missing_grammar_is_named(base: str, repository: Repository, path: str) -> None:
    """The review continues without a search, and names the command that installs the grammar."""
    repository.change({path: "func loadSettings() {}\n"}, {path: "func loadSettings(from: Int) {}\n"})
    done = bare.deeprepo(repository.folder, base, "review", "HEAD~1..HEAD", "--strategy", "offline", "--format", "json")
    coverage = json.loads(done.stdout)["coverage"]
    suffix = Path(path).suffix
    assert done.returncode == 0, done.stderr
    reason = f"{suffix} files are not parsed, so references to changes in {path} were not searched"
    assert [row["reason"] for row in coverage["open"]] == [reason]
    assert coverage["cut"] == [f"to parse {suffix} files, {install('languages')}"]


def test_lock_files_agree() -> None:
    """Packages have the same version in all lock files, and larger installations include smaller ones."""
    found = {
        path.name: dict(re.findall(r"^([a-z0-9._-]+)(?:\[[^\]]+\])?==(\S+)", path.read_text(), re.MULTILINE))
        for path in LOCKS
    }
    base, action, image = (found[f"requirements{end}.lock"].items() for end in ("-base", "-action", ""))
    assert base < action < image
    assert found["requirements.lock"].keys() < found["requirements-dev.lock"].keys()
