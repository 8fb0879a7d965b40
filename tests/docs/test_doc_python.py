"""Run the Python programs on pages that are marked `run`, and check the syntax of all others."""

import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import doc_pages
import pytest
from doc_pages import PAGES, ROOT, Block
from families import few
from test_doc_commands import change
from waits import patience

from deeprepo_sandbox.providers import Reply, Server, code, in_thread

SHOWN = [(page, block) for page in PAGES for block in doc_pages.blocks(page) if block.info[:1] == ("python",)]
RUN = [(page, block) for page, block in SHOWN if block.info[1:2] == ("run",)]


def named(given: object) -> str:
    """Return a page's name or a block's line, as a test id."""
    return doc_pages.name(given) if isinstance(given, Path) else str(given.line) if isinstance(given, Block) else ""


def root(body: Mapping[str, Any]) -> Reply:
    """Answer as a root that calls the page's own tool, if there is one, and otherwise lists its context."""
    system = str(body.get("system"))
    said = "price('ABC-1', 3) + price('ABC-2')" if "- price(" in system else "sorted(context)"
    return code(f"set_answer({said})")


@pytest.mark.parametrize(("page", "block"), few(RUN, 0, 3, 5), ids=named)
def test_marked_programs_run(page: Path, block: Block, tmp_path: Path) -> None:
    """The program runs with a scripted provider, and with the demo's change if it needs one."""
    here = tmp_path / "here"
    here.mkdir()
    if "change" in block.info:
        change(here)
    else:
        (here / "contracts").mkdir()
        (here / "contracts" / "one.txt").write_text("It ends in 2027.\n")
    with in_thread(Server(root)) as server:
        keys = {"ANTHROPIC_API_KEY": "sk-made-up", "DEEPREPO_BASE_URL_ANTHROPIC": server.anthropic_url}
        done = subprocess.run(
            [sys.executable, "-c", block.text],
            cwd=here,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(ROOT),
                "HOME": str(tmp_path),
                **(keys if "rlm" in block.info else {}),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=patience(120),
        )
    assert done.returncode == 0, f"{doc_pages.name(page)}, line {block.line}\n{done.stderr}"
    expected = "parcel/" if "change" in block.info else "42.5" if "price" in block.text else "one.txt"
    expected = "3 3" if "samples" in block.text else expected  # three runs agreed, with three calls
    assert expected in done.stdout


@pytest.mark.parametrize(("page", "block"), SHOWN, ids=named)
def test_every_program_is_valid_python(page: Path, block: Block) -> None:
    """Newcomers copy these programs, so each must be valid Python."""
    assert ast.parse(block.text), page
