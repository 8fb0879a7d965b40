import asyncio
import io
import logging
import os
import re
import shutil
from pathlib import Path

import httpx2
import pytest
from whole import SECRET, whole

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.github import Fault

KEY = "sk-planted-key-of-the-provider"
TOKEN = re.compile(rb"gh[sp]_[A-Za-z0-9_.-]{20,}")


def watched_git(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git that writes down its arguments, and what its configuration came to, before it does its work."""
    real, said = shutil.which("git"), folder / "arguments"
    folder.mkdir()
    shim = folder / "git"
    shim.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> "{said}"\nexec "{real}" "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return said


def left(folder: Path) -> dict[str, bytes]:
    """Every file that a run leaves behind."""
    return {str(found): found.read_bytes() for found in folder.rglob("*") if found.is_file()}


def test_no_secret_is_left_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Key, webhook secret, provider's key and tokens stand in no log, journal, database, argument list, page or comment."""
    arguments = watched_git(tmp_path / "bin", monkeypatch)
    log = io.StringIO()
    seen: dict[str, bytes] = {}

    async def go() -> None:
        async with doubles.openai_server("No findings.") as model:
            monkeypatch.setenv("DEEPREPO_WORKER", "openai/reader")
            monkeypatch.setenv("DEEPREPO_BASE_URL", model.base_url)
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            async with whole(tmp_path / "run") as at:
                number = await at.reviewed()
                await at.repo.comment(number, "/deeprepo review", author="maintainer")
                at.gh.fail("POST", r"/issues/1/comments$", Fault(status=403))
                await at.repo.comment(number, "/deeprepo help", author="maintainer")
                await at.quiet()
                async with httpx2.AsyncClient(base_url=at.address) as http:
                    for path in ("/healthz", "/readyz", "/metrics", "/nowhere", "/openapi.json"):
                        seen[path] = (await http.get(path)).content
                seen.update(left(at.data))
                seen["comments"] = repr(at.gh.pull(number)).encode()
                seen["server"] = repr(at.server).encode()
                seen["key"] = at.gh.private_key.encode()
                assert list((at.data / "journals").iterdir())

    handler = logging.StreamHandler(log)
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.DEBUG)
    try:
        asyncio.run(go())
    finally:
        logging.getLogger().removeHandler(handler)
        logging.getLogger().setLevel(logging.WARNING)
    body = seen.pop("key").decode().splitlines()[3].encode()
    seen |= {"log": log.getvalue().encode(), "arguments": arguments.read_bytes()}
    assert len(seen["arguments"].splitlines()) > 10
    for name, content in seen.items():
        assert not any(secret in content for secret in (KEY.encode(), SECRET.encode(), body)), name
        assert not TOKEN.search(content), name
