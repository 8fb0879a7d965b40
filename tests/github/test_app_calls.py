import asyncio
from pathlib import Path

import pytest
from hosted import scene
from pydantic import SecretStr
from raw_server import raw_server

from bot.errors import HostRefused
from bot.github import Identity
from bot.values import PullRef
from deeprepo_sandbox import github as sandbox

PULL = PullRef(1, 2, "acme", "shop", 3)


def test_private_key_is_not_in_repr_or_str() -> None:
    """Neither repr nor str contains the private key."""
    made = Identity("1", SecretStr("PRIVATE"))

    assert "PRIVATE" not in f"{made!r}{made}"


async def test_redirect_to_another_server_gets_no_token(tmp_path: Path) -> None:
    """A redirect to another server does not receive our token."""
    seen: list[str | None] = []

    async def elsewhere(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        seen.append(next((line for line in head.split("\r\n") if line.startswith("authorization")), None))
        writer.write(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")

    async with raw_server(elsewhere) as port, scene(tmp_path) as at:
        away = {"location": f"http://localhost:{port}/x"}
        at.gh.fail("GET", r"/pulls/1$", sandbox.Fault(302, headers=away))
        with pytest.raises(HostRefused):
            await at.host.facts()

    assert seen == [None]
