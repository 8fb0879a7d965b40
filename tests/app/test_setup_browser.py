"""The set-up in a real browser, which checks that responses render and that the policy allows the forms."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import browsing
import pytest
from browsing import Window
from serving import NOBODY
from serving import browser as served

from bot.app import setup
from bot.app.setup import Setup
from bot.config.server import App, ServerOptions
from deeprepo_sandbox import github as sandbox

pytestmark = [pytest.mark.slow, browsing.NEEDED]


def begun(folder: Path, api: str = NOBODY) -> Setup:
    """Return a new set-up."""
    return Setup(ServerOptions.model_validate({"data": folder / "data", "github_api": api, "port": 0}))


async def visit(folder: Path, one: Setup, visitor: Callable[[Window, str], None]) -> None:
    """Visit a set-up's pages in a browser."""

    def go(base: str) -> None:
        with browsing.window(folder) as window:
            visitor(window, base)

    async with served(setup.create(one), one.options) as http:
        await asyncio.to_thread(go, str(http.base_url).rstrip("/"))


async def test_app_is_created_by_clicking_through_the_setup(tmp_path: Path) -> None:
    """Go from the form to GitHub and back, for an organization; reloading shows the same page."""
    async with sandbox.github(tmp_path / "gh", webhook=None, secret="s" * 20) as gh:
        one = begun(tmp_path, gh.api)

        def visitor(window: Window, base: str) -> None:
            window.open(f"{base}/setup?token={one.token}")
            window.type("#url", "https://bot.example.com")
            window.type("#organization", "acme")
            assert "https://bot.example.com/webhook" in window.click("button")
            action = window.script("return document.forms[0].action")
            assert action.startswith(f"{gh.api.removesuffix('/api/v3')}/organizations/acme/settings/apps/new")
            ready = window.click("button")
            assert "deeprepo acme is ready" in ready
            assert window.address.startswith(f"{base}/setup/done?code=")
            assert window.reload() == ready
            assert window.script("return document.querySelector('a.go').href").endswith("/installations/new")
            assert window.script("return getComputedStyle(document.querySelector('main')).borderRadius") == "12px"
            assert window.logged() == []

        await visit(tmp_path, one, visitor)
        held = App.model_validate_json((tmp_path / "data/app.json").read_bytes())
        assert int(held.app_id) in gh.world.apps
        assert int(held.app_id) != int(gh.app_id)
