"""Run the pages' commands that are marked `run`, and check that all others exist with their options."""

import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import doc_pages
import pytest
import typer
from doc_pages import PAGES, ROOT, Command
from families import few
from waits import patience

from bot.cli import commands
from deeprepo_sandbox import demo

RUNNABLE = [page for page in PAGES if any(block.runs for block in doc_pages.blocks(page))]
LONG = {"github-app.md", "command-line.md"}  # the pages that start a server or run a dozen commands are slow
SOON = [at for at, page in enumerate(RUNNABLE) if page.name not in LONG]
SHELL = shlex.split("bash --noprofile --norc")
WRAPPER = '#!/bin/sh\nPYTHONPATH="{root}" exec "{python}" {module} "$@"\n'


def prepared(folder: Path, wanted: set[str]) -> dict[str, str]:
    """Create a new folder and return an environment without keys. `wanted`: words after the fence."""
    here, tools, home = folder / "here", folder / "tools", folder / "home"
    for made in (here, tools, home):
        made.mkdir()
    for program, module in (("deeprepo", "-m bot"), ("python3", "")):
        script = tools / program
        script.write_text(WRAPPER.format(root=ROOT, python=sys.executable, module=module))
        script.chmod(0o755)
    if "change" in wanted:
        change(here)
    return {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "TMPDIR": str(folder),
        "COLUMNS": "120",
        "GIT_CONFIG_NOSYSTEM": "1",
        "DEEPREPO_DATA": str(folder / "data"),
    }


def change(folder: Path) -> None:
    """Create the demo's change as a checkout with the branches `main` and `feature`, and uncommitted work."""
    demo.build(str(folder))
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "branch", "--move", "pull-request", "feature"], check=True)
    with (folder / "parcel" / "rates.py").open("a") as file:
        file.write("\n\ndef free(zone):\n    return zone == 'local'\n")
    subprocess.run([*git, "add", "parcel/rates.py"], check=True)
    (folder / "parcel" / "later.py").write_text("LATER = 1\n")


def script(shown: list[Command], folder: Path) -> str:
    """Return a shell script that runs a page's commands, writes outputs to files, and stops at a failure."""
    steps = [
        f"{{ {one.typed}\n}} > {folder}/out.{number} 2>&1 || exit {number + 1}" for number, one in enumerate(shown)
    ]
    return "\n".join([*steps, "exit 0"])


def pattern(shown: str) -> str:
    """Return a regular expression for the shown output, where "..." matches anything."""
    return ".*?".join(re.escape(part.strip()) for part in shown.split("..."))


@pytest.mark.parametrize("page", few(RUNNABLE, *SOON), ids=doc_pages.name)
def test_marked_commands_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    """In a fresh folder, all commands on a page exit with 0 and print what the page shows."""
    run = [block for block in doc_pages.blocks(page) if block.runs]
    shown = [command for block in run for command in doc_pages.commands(block)]
    env = prepared(tmp_path, {word for block in run for word in block.info[2:]})
    typed = script(shown, tmp_path)
    done = subprocess.run([*SHELL, "-c", typed], cwd=tmp_path / "here", env=env, timeout=patience(120), check=False)
    said = [path.read_text() if path.exists() else "" for path in (tmp_path / f"out.{n}" for n in range(len(shown)))]
    if done.returncode:
        failed = done.returncode - 1
        pytest.fail(f"{doc_pages.name(page)}, line {shown[failed].line}: {shown[failed].typed}\n{said[failed]}")
    for command, output in zip(shown, said, strict=True):
        fits = re.search(pattern(command.shown), output.strip(), re.DOTALL)
        assert fits, f"{doc_pages.name(page)}, line {command.line}: {command.typed}\n{output}"


def spelt(page: Path) -> list[str]:
    """Return all `deeprepo` commands on a page, in blocks and in code spans."""
    shown = [command.typed for block in doc_pages.blocks(page) for command in doc_pages.commands(block)]
    loose = [line for block in doc_pages.blocks(page) if not block.info for line in block.joined.splitlines()]
    found = [*shown, *map(str.strip, loose), *doc_pages.spans(page)]
    return [text for text in found if re.match(r"([A-Z_]+=\S+ )*deeprepo [a-z]", text)]


def unknown(typed: str) -> list[str]:
    """Return a command's words and options that the program doesn't have."""
    words = shlex.split(typed.partition("   ")[0], comments=True)
    command: Any = _program()
    rest = words[words.index("deeprepo") + 1 :]
    while rest and (inner := getattr(command, "commands", None)):
        if rest[0] not in inner:
            return rest[:1]
        command, rest = inner[rest[0]], rest[1:]
    known = {option for given in command.params for option in (*given.opts, *given.secondary_opts)} | {"--help", "-h"}
    options = [word.partition("=")[0] for word in rest if re.fullmatch(r"--?[a-z].*", word)]
    return [option for option in options if option not in known]


@cache
def _program() -> Any:  # noqa: ANN401 - of the library that reads options
    """Return the program's command tree, cached because building it is slow."""
    return typer.main.get_command(commands.app)


@pytest.mark.parametrize("page", few(PAGES, *range(0, len(PAGES), 4)), ids=doc_pages.name)
def test_every_command_and_option_exists(page: Path) -> None:
    """This includes commands that no test runs because they cost money, wait or need GitHub."""
    wrong = {typed: missing for typed in spelt(page) if (missing := unknown(typed))}
    assert wrong == {}
