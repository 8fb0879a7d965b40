"""What works without the extras, and what a command says whose extra is missing."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import bare
import pytest
from fakes import Repository
from families import few

from bot.machine.extras import PARTS, install

ROOT = Path(__file__).parents[2]
LOCKS = sorted(ROOT.glob("requirements*.lock"))
BEFORE = {
    "prices.py": "def total(prices):\n    return sum(prices)\n",
    "shop.py": "from prices import total\n\nprint(total([1, 2]))\n",
}
AFTER = {"prices.py": "def total(prices, tax):\n    return sum(prices) * tax\n"}
MEGABYTES, DISTRIBUTIONS = (
    112,
    50,
)  # without what a new environment holds by itself: pip, and setuptools up to Python 3.11
KEY = {"OPENAI_API_KEY": "sk-planted-planted"}
NO_SERVER = f"The server's parts are not installed: {install('server')}"
NO_MCP = f"The parts of `deeprepo mcp` are not installed: {install('mcp')}"
NO_MODELS = f"The parts that ask a model are not installed: {install('models')}"


@pytest.fixture
def base(tmp_path: Path) -> str:
    """The path of a Python without any extra."""
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
            (("--help",), "Reviews a change by reading beyond the diff"),
            (("review", "HEAD~1..HEAD"), "shop.py:3"),
            (("review", "HEAD~1..HEAD", "--strategy", "offline", "--format", "sarif"), "shop.py"),
            (("config",), "quota"),
            (("estimate", "HEAD~1..HEAD"), "fanout"),
            (
                ("estimate", "HEAD~1..HEAD", "--worker", "openai/gpt-5.4-mini"),
                f"Prices, and what cascade and rlm would ask, come with the models, which are not installed: {install('models')}",
            ),
            (("ignore", "0123456789abcdef", "--reason", "it is meant so"), "no check by code reports"),
        ],
        5,
    ),
    ids=str,
)
def test_a_review_by_code_needs_no_extra(base: str, changed: Path, command: tuple[str, ...], shows: str) -> None:
    """The commands of a checkout work in a base installation."""
    done = bare.deeprepo(changed, base, *command)
    assert done.returncode == (2 if command[0] == "ignore" else 0), done.stderr
    assert shows in done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("env", [{}, KEY], ids=["no key", "a key"])
def test_the_hook_needs_no_extra(base: str, changed: Path, env: dict[str, str]) -> None:
    """What pre-commit runs stops a commit, whatever key is set."""
    done = bare.deeprepo(changed, base, "review", "HEAD~1..HEAD", "--strategy", "offline", "--fail-on", "high", **env)
    assert done.returncode == 1, done.stderr


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
    ),
    ids=str,
)
def test_a_missing_extra_is_named(
    base: str, changed: Path, command: tuple[str, ...], env: dict[str, str], says: str
) -> None:
    """One sentence with the remedy, exit code 2, and no review without the model that is configured."""
    done = bare.deeprepo(changed, base, *command, **env)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"deeprepo: {says}\n")


@pytest.mark.parametrize("path", ["Sources/Shop/Cart.swift", "src/main/scala/shop/Cart.scala"])
def test_a_missing_grammar_is_named(base: str, repository: Repository, path: str) -> None:
    """The review goes on: the file is searched by name, and a sentence has the command that installs the grammar."""
    repository.change({path: "func loadSettings() {}\n"}, {path: "func loadSettings(from: Int) {}\n"})
    done = bare.deeprepo(repository.folder, base, "review", "HEAD~1..HEAD", "--strategy", "offline", "--format", "json")
    cut = json.loads(done.stdout)["coverage"]["cut"]
    suffix = Path(path).suffix
    assert done.returncode == 0, done.stderr
    assert cut == [
        f"{suffix} files are not parsed: uses of what changed in {path} were searched by name only",
        f"to have {suffix} files parsed, {install('languages')}",
    ]


@pytest.mark.slow
def test_the_demo_in_a_terminal_needs_no_extra(base: str, tmp_path: Path) -> None:
    """The sandbox's review by code works without the server that its page needs."""
    path = f"{base}:{ROOT / 'sandbox'}"
    assert bare.deeprepo(tmp_path, path, "demo", "--terminal").returncode == 0
    done = bare.deeprepo(tmp_path, path, "demo", "--once")
    assert (done.returncode, done.stderr) == (2, f"deeprepo: {NO_SERVER}\n")


def test_the_parts_that_are_looked_for_are_those_of_the_extras() -> None:
    """Each extra of the project is as long as the list of what is looked for."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    rows = {extra: [row for row in extras[extra] if not row.startswith("deeprepo-bot")] for extra in PARTS}
    named = {extra: {re.split(r"[\[<>=]", row)[0].replace("-", "_") for row in rows[extra]} for extra in PARTS}
    imported = {"pyjwt": "jwt"}
    assert {extra: {imported.get(name, name) for name in names} for extra, names in named.items()} == {
        extra: set(names) for extra, names in PARTS.items()
    }


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_names_versions_and_no_place(lock: Path) -> None:
    """Every requirement has a version and hashes; no registry is named."""
    rows = [row for row in lock.read_text().splitlines() if row and not row.startswith((" ", "#"))]
    assert rows
    assert [row for row in rows if "==" not in row] == []
    assert "://" not in lock.read_text()
    assert lock.read_text().count("--hash=sha256:") >= len(rows)


def test_the_locks_agree() -> None:
    """A package has one version in all that are installed for use, and each larger installation holds the smaller one."""
    found = {
        path.name: dict(re.findall(r"^([a-z0-9._-]+)(?:\[[^\]]+\])?==(\S+)", path.read_text(), re.MULTILINE))
        for path in LOCKS
    }
    base, action, image = (found[f"requirements{end}.lock"].items() for end in ("-base", "-action", ""))
    assert base < action < image
    assert found["requirements.lock"].keys() < found["requirements-dev.lock"].keys()


def taken(folder: Path) -> float:
    """The megabytes that a folder takes, as du counts them."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*")) / 2**20


@pytest.mark.slow
def test_a_base_installation_is_small(tmp_path: Path, repository: Repository) -> None:
    """`pip install .` in an empty environment: its size, how many distributions it has, and that it reviews."""
    place = tmp_path / "environment"
    inherited = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **inherited}
    subprocess.run([sys.executable, "-m", "venv", place], cwd=tmp_path, env=env, check=True, capture_output=True)
    empty = taken(place)
    command = [place / "bin/pip", "install", "--quiet", "--disable-pip-version-check", ROOT]
    subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True)
    size = taken(place)
    listed = subprocess.run(
        [place / "bin/pip", "list", "--format=freeze"], env=env, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert size - empty <= MEGABYTES
    assert len(listed) <= DISTRIBUTIONS
    repository.change(BEFORE, AFTER)
    done = subprocess.run(
        [place / "bin/deeprepo", "review", "HEAD~1..HEAD"],
        cwd=repository.folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "shop.py:3" in done.stdout, done.stderr


def test_the_command_line_does_not_load_githubs_client() -> None:
    """What a review of a checkout, the hook and the tools for editors import speaks to nobody at GitHub."""
    rooms = "bot.cli.commands, bot.cli.reviewing, bot.cli.hook, bot.wiring.local, bot.wiring.tasks, bot.mcp"
    found = (
        f"import sys, {rooms}; print([m for m in sys.modules if m.split('.')[0] in {{'githubkit', 'httpx', 'hishel'}}])"
    )
    done = subprocess.run([sys.executable, "-c", found], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_githubs_client_can_be_imported_with_the_versions_of_the_locks() -> None:
    """With hishel 2.0, which githubkit 0.16 allows, it cannot: pyproject.toml and the locks hold an older one."""
    from githubkit import AppAuthStrategy

    held = [row for path in LOCKS for row in path.read_text().splitlines() if row.startswith("hishel==")]
    assert AppAuthStrategy("1", "a key").app_id == "1"
    assert held
    assert {row.split("==")[1].split(".")[0] for row in held} == {"1"}
