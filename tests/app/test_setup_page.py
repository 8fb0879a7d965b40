import asyncio
import html
import json
import re
import stat
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import httpx2
import pytest
from families import few
from serving import NOBODY, browser

from bot.app import setup
from bot.app.manifest import manifest
from bot.app.setup import Setup
from bot.config.server import App, ServerOptions
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github.github import PERMISSIONS


def asking(page: Setup) -> AbstractAsyncContextManager[httpx2.AsyncClient]:
    """Open a client for the set-up page."""
    return browser(setup.create(page), page.options)


def page(folder: Path, **options: str) -> Setup:
    """Return a new set-up."""
    return Setup(ServerOptions.model_validate({"data": folder, "github_api": NOBODY, "port": 0} | options))


def test_app_is_created_in_three_clicks(tmp_path: Path) -> None:
    """The form sends the manifest to GitHub; the returned code stores the credentials once."""

    async def go() -> None:
        async with sandbox.github(tmp_path / "gh", webhook=None, secret="s" * 20) as gh:
            begun = page(tmp_path / "data", github_api=gh.api)
            gh.world.manifests["a-code"] = int(gh.app_id)
            async with asking(begun) as browser:
                asked = {"token": begun.token, "url": "https://bot.example.com/", "organization": "acme"}
                first = html.unescape((await browser.get("/setup", params=asked)).text)
                origin = gh.api.removesuffix("/api/v3")
                assert f'action="{origin}/organizations/acme/settings/apps/new?state={begun.state}"' in first
                sent = json.loads(re.findall(r'name="manifest" value="(.*)">', first)[0])
                assert sent["hook_attributes"]["url"] == "https://bot.example.com/webhook"
                assert sent["callback_urls"] == ["https://bot.example.com/signin/done"]
                assert sent["redirect_url"] == f"{browser.base_url}/setup/done"
                done = await browser.get("/setup/done", params={"code": "a-code", "state": begun.state})
                assert done.status_code == 200
                assert f"{origin}/apps/deeprepo/installations/new" in done.text
                again = await browser.get("/setup/done", params={"code": "a-code", "state": begun.state})
                assert (again.status_code, again.text) == (200, done.text)
            stored = tmp_path / "data" / "app.json"
            assert (begun.is_done.is_set(), stat.S_IMODE(stored.stat().st_mode)) == (True, 0o600)
            held = App.model_validate_json(stored.read_bytes())
            assert (held.app_id, held.webhook_secret.get_secret_value()) == (gh.app_id, gh.secret)
            assert [path.name for path in stored.parent.iterdir()] == ["app.json"]
            assert (held.has_sign_in, json.loads(stored.read_bytes())["public_url"]) == (
                True,
                "https://bot.example.com",
            )
            assert not any(secret in done.text for secret in (gh.secret, gh.private_key, gh.client[1]))

    asyncio.run(go())


def test_form_requires_the_setup_token(tmp_path: Path) -> None:
    """Without the token, the form is not shown and the code of another App is not accepted."""

    async def go() -> None:
        begun = page(tmp_path)
        async with asking(begun) as browser:
            for path in ("/setup", "/setup?token=", "/setup?token=ä", "/setup/done", "/setup/done?code=x&state=y"):
                answer = await browser.get(path)
                assert answer.status_code == 403
                assert not [secret for secret in (begun.token, begun.state) if secret in answer.text]
            first = await browser.get("/")
            assert (first.status_code, "not set up yet" in first.text) == (503, True)
            assert (await browser.get("/readyz")).status_code == 503
            assert (await browser.post("/webhook", content=b"{}")).status_code == 503
        assert not begun.is_done.is_set()
        assert begun.token not in repr(begun)

    asyncio.run(go())


@pytest.mark.parametrize(
    ("asked", "options", "offered"),
    few(
        [
            ({}, {}, False),
            ({"url": "http://bot.example.com"}, {}, False),
            ({"url": "https://10.0.0.5"}, {}, False),
            ({"url": "https://localhost:8000"}, {}, False),
            ({"url": "https://bot.example.com", "organization": "a/b"}, {}, False),
            ({"url": "https://bot.example.com"}, {}, True),
            ({}, {"public_url": "https://bot.example.com"}, False),
            ({"url": "https://bot.example.com", "edit": "true"}, {}, False),
            ({"url": "http://10.0.0.5"}, {"github_api": "https://ghes.internal/api/v3"}, True),
        ],
        0,
        1,
        5,
        8,
    ),
)
def test_create_button_requires_a_usable_address(
    tmp_path: Path, asked: dict[str, str], options: dict[str, str], offered: bool
) -> None:
    """The button is never next to an editable field. Enterprise Servers may use private addresses."""

    async def go() -> None:
        begun = page(tmp_path, **({"github_api": "https://api.github.com"} | options))
        async with asking(begun) as browser:
            answer = await browser.get("/setup", params={"token": begun.token} | asked)
            assert (answer.status_code, 'name="manifest"' in answer.text) == (200, offered)
            # The button sends what the page shows, so there is no field next to it.
            assert not (offered and re.findall(r'<input [^>]*type="(?!hidden)', answer.text))
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["cache-control"] == "no-store"

    asyncio.run(go())


def test_typed_text_is_escaped(tmp_path: Path) -> None:
    """Typed text is escaped."""

    async def go() -> None:
        begun = page(tmp_path)
        async with asking(begun) as browser:
            hostile = '"><script>alert(1)</script>'
            answer = await browser.get("/setup", params={"token": begun.token, "url": hostile, "organization": hostile})
            assert "<script>" not in answer.text
            assert "default-src 'none'" in answer.headers["content-security-policy"]

    asyncio.run(go())


def test_manifest_requests_the_permissions_to_resolve_threads() -> None:
    """The sandbox's App has exactly these permissions, and GitHub resolves no thread with fewer."""
    made = json.loads(manifest("https://bot.example.com", "https://bot.example.com/setup/done", ""))
    assert made["default_permissions"] == PERMISSIONS
    assert made["default_permissions"]["contents"] == "write"


def test_simultaneous_clicks_create_one_app(tmp_path: Path) -> None:
    """GitHub's code works once, so a second request waits for the first and shows the same page."""

    async def go() -> None:
        async with sandbox.github(tmp_path / "gh", webhook=None, secret="s" * 20) as gh:
            begun = page(tmp_path / "data", github_api=gh.api)
            gh.world.manifests["a-code"] = int(gh.app_id)
            async with asking(begun) as http:
                back = {"code": "a-code", "state": begun.state}
                first, second = await asyncio.gather(*(http.get("/setup/done", params=back) for _ in range(2)))
            assert (first.status_code, second.status_code) == (200, 200)
            assert first.text == second.text

    asyncio.run(go())
