import asyncio
from pathlib import Path

import pytest
from hosted import Scene, scene
from pydantic import SecretStr
from raw_server import raw_server

from bot import github
from bot.errors import HostRefused
from bot.github import Identity
from bot.values import PullRef
from deeprepo_sandbox import github as sandbox

PULL = PullRef(1, 2, "acme", "shop", 3)


@pytest.mark.parametrize(
    ("api", "url"),
    [
        ("https://api.github.com", "https://github.com/acme/shop.git"),
        ("https://api.github.com/", "https://github.com/acme/shop.git"),
        ("https://ghes.example/api/v3", "https://ghes.example/acme/shop.git"),
        ("https://api.octo.ghe.com", "https://octo.ghe.com/acme/shop.git"),
        ("http://127.0.0.1:8080/api/v3", "http://127.0.0.1:8080/acme/shop.git"),
    ],
)
def test_git_address_is_derived_from_the_api_address(api: str, url: str) -> None:
    """The address for git is derived from any form of the API's address."""
    assert github.git_url(api, PULL) == url


def test_private_key_is_not_in_repr_or_str() -> None:
    """Neither repr nor str contains the private key."""
    made = Identity("1", SecretStr("PRIVATE"))

    assert "PRIVATE" not in f"{made!r}{made}"


async def test_app_login_is_requested_once(at: Scene) -> None:
    """An identity caches the name for all jobs in a process."""
    async with github.open_pull(at.identity, at.pull, at.pace) as again:
        assert again.bot_identity == at.host.bot_identity

    assert at.host.bot_identity.login == at.gh.login
    assert len([seen for seen in at.gh.requests if seen.path == "/app"]) == 1


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
