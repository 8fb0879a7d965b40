"""No Python module or program in the reviewed repository is loaded, wherever the command starts."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import editor
import pytest
from fakes import Repository
from families import few

COMMAND = Path(sys.executable).with_name("deeprepo")
OTHERS = (
    "anthropic", "anyio", "google", "httpx2", "jinja2", "mcp", "openai", "pydantic", "pydantic_settings",
    "rich", "ruff", "sitecustomize", "sqlalchemy", "starlette", "tree_sitter", "tree_sitter_python", "unidiff", "usercustomize", "yaml",
)  # fmt: skip
WAYS = [
    ["review", "--strategy", "offline"],
    ["review", "--staged", "--strategy", "offline"],
    ["review", "--uncommitted", "--strategy", "offline", "--format", "sarif"],
    ["estimate"],
    ["config", "--explain"],
]


class Hostile:
    """A repository with modules and programs named like common ones. Each records in a file that it ran."""

    def __init__(self, folder: Path) -> None:
        self.witness = folder / "loaded"
        self.repository = Repository(folder / "repository")
        self.top = self.repository.folder
        self.repository.commit({"a.py": "def f(a):\n    return a\n", "user.py": "from a import f\n\nf(1)\n"})
        self.repository.git("checkout", "-qb", "feature")
        self.repository.commit({"a.py": "def f(a, b):\n    return a\n"})
        self.repository.write({"user.py": "from a import f\n\nf(1)\nf(2)\n"})
        module = f"import sys\nopen({str(self.witness)!r}, 'a').write(__name__ + '\\n')\nraise ImportError(__name__)\n"
        for name in {*sys.stdlib_module_names, *OTHERS} - {"__future__"}:
            (self.top / f"{name}.py").write_text(module)
        for name in ("git", "ruff", "python", "python3", "sh", "ssh", "env"):
            (self.top / name).write_text(f"#!/bin/sh\necho {name} >> '{self.witness}'\nexit 1\n")
            (self.top / name).chmod(0o755)
        for name in ("ruff.toml", ".ruff.toml"):
            (self.top / name).write_text("nonsense\n")

    def loaded(self) -> str:
        """Return what was loaded or started so far."""
        return self.witness.read_text() if self.witness.exists() else ""

    @property
    def env(self) -> dict[str, str]:
        """Return an environment that also searches the current folder for programs."""
        return {"PATH": f".:{os.environ['PATH']}::", "HOME": str(self.top), "DEEPREPO_DATA": str(self.top.parent / "d")}


@pytest.fixture
def hostile(tmp_path: Path) -> Hostile:
    return Hostile(tmp_path)


def test_plain_python_imports_the_planted_modules(hostile: Hostile) -> None:
    """The planted modules work: `python -c` in this folder imports them."""
    command = [sys.executable, "-c", "import multiprocessing"]
    subprocess.run(command, cwd=hostile.top, env=hostile.env, capture_output=True, check=False)
    assert hostile.loaded()


@pytest.mark.slow
@pytest.mark.parametrize("arguments", few(WAYS, 0))
def test_command_in_that_folder_imports_none_of_them(hostile: Hostile, arguments: list[str]) -> None:
    """The command works although the folder has modules and programs with names that it needs."""
    done = subprocess.run(
        [COMMAND, *arguments], cwd=hostile.top, env=hostile.env, capture_output=True, text=True, check=False
    )
    assert hostile.loaded() == ""
    assert done.returncode in {0, 1} or "deeprepo: no static check reports" in done.stderr, done.stderr


@pytest.mark.parametrize("start", few([[str(COMMAND)], [sys.executable, "-I", "-m", "bot"]], 0))
def test_mcp_server_in_that_folder_imports_none_of_them(hostile: Hostile, start: list[str]) -> None:
    """Editors start `deeprepo mcp` in the project's folder; its child processes load nothing there either."""

    async def talk() -> list[str]:
        async with editor.connected([*start, "mcp"], hostile.top, hostile.env) as client:
            asked = [
                ("review", {"effort": "none"}),
                ("review", {"change": "uncommitted", "effort": "none"}),
                ("callers", {"symbol": "f"}),
            ]
            return [repr((await client.call_tool(tool, given)).content) for tool, given in asked]

    whole, uncommitted, callers = asyncio.run(talk())
    assert hostile.loaded() == ""
    assert "user.py:3" in whole
    assert "user.py" in callers
    assert "What was checked" in uncommitted
