import asyncio
import html
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import waits

from deeprepo_sandbox.demo import live, model, story
from deeprepo_sandbox.github.things import Pull


async def _mended(stage: live.Stage) -> Pull:
    """Commit the offered fix, wait for its review, and return the pull request.

    Fail if anything violated GitHub's API description.
    """
    gh, number = stage.gh, stage.number
    await stage.repo.take_offer(number)
    await gh.until(lambda: [check.conclusion for check in gh.pull(number).checks] == ["neutral"])
    await gh.settle()
    assert gh.violations == ()
    return gh.pull(number)


def _signed_in(address: str, login: str) -> str:
    """Sign in with GitHub as this person, and return the page that opens."""
    with httpx2.Client(follow_redirects=True, trust_env=False, timeout=waits.patience()) as browser:
        asked = browser.get(f"{address}/signin/github")
        fields = {
            name: html.unescape(value)
            for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', asked.text)
        }
        agreed = browser.post(asked.url.copy_with(query=None), data=fields | {"login": login})
        return agreed.text


async def test_demo_shows_everything_with_a_scripted_model() -> None:
    """The demo shows all features and says that its model is scripted."""
    said: list[str] = []
    async with live.open_stage(0, live.SCRIPTED, said.append, None, check=True) as stage:
        assert "6 comments on lines" in await live.wait_for_review(stage)
        first = stage.gh.pull(stage.number)
        assert [one.state for one in first.reviews] == ["CHANGES_REQUESTED"]
        assert model.READ["overview"] in first.comments[0].body
        assert "**Partly done.** The label still says EXPRESS." in first.comments[0].body
        assert "Prompt for a coding agent: all findings (8)" in first.comments[0].body
        await story.play(stage.gh, stage.repo, stage.number, said.append)
        page = (await asyncio.to_thread(httpx2.get, stage.gh.page(stage.number), trust_env=False)).text
        assert "The bot uses a scripted model" in page
        assert f'href="{await stage.bot.address}"' in page
        buttons = re.findall(r'Press ["`](.+?)["`]', story.TO_TRY)
        assert [text for text in buttons if f">{text}</button>" not in page] == []
        assert f"Withdrawn: {model.WRONG}" in page
        assert "<h1>Overview</h1>" in await asyncio.to_thread(_signed_in, await stage.bot.address, "maintainer")
        last = await _mended(stage)
        assert "withdrawn in a conversation" in last.comments[0].body
        assert "quote(-1" not in last.comments[0].body  # the withdrawn finding's trigger
        assert last.reviews[0].state == "DISMISSED"
    assert "answer     the bot withdraws the finding" in said
    assert any("202" in line for line in said)


def test_ctrl_c_leaves_no_processes_or_files(tmp_path: Path) -> None:
    """An interrupt during startup ends the demo with exit code 0, without leaving processes or files."""
    env = os.environ | {"TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "bot", "demo", "--log"]
    with waits.ended(subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env)) as demo:
        assert demo.stderr is not None
        assert demo.stderr.readline().startswith("GitHub ")
        demo.send_signal(signal.SIGINT)
        _, said = demo.communicate(timeout=waits.patience())  # waits for all processes with this pipe
    assert (demo.returncode, "The demo has ended" in said) == (0, True)
    assert list(tmp_path.glob("deeprepo-demo-*")) == []
