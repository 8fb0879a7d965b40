import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import waits

from deeprepo_sandbox.demo import live


def test_the_whole_path_in_one_process_and_a_server(tmp_path: Path) -> None:
    """Webhook, review, posts and check run; the next commit is reviewed too, and what it mends is closed. GitHub's rules hold."""

    async def run() -> None:
        said: list[str] = []
        async with live.staged(0, "none", said.append, None, check=True) as (gh, bot):
            assert "check run neutral" in await live.reviewed(gh, bot)
            first = gh.pull(1)
            assert [(one.path, one.line) for one in first.review_comments] == [
                ("parcel/carrier.py", 6),
                ("parcel/carrier.py", 17),
            ]
            assert {one.user.login for one in (*first.comments, *first.reviews)} == {"deeprepo[bot]"}
            repo = gh.repo(1)
            await repo.comment(1, "/deeprepo help")
            await repo.take_offer(1)
            await gh.until(lambda: [check.conclusion for check in gh.pull(1).checks] == ["success"])
            await gh.until(lambda: len(gh.pull(1).comments) == 3)
            second = gh.pull(1)
            tops = [one for one in second.review_comments if one.reply_to is None]
            assert [one.hidden for one in tops] == ["resolved", "resolved"]
            assert {one.reply_to for one in second.review_comments} >= {one.id for one in tops}
            assert second.comments[0].body != first.comments[0].body
            await gh.settled()
            assert gh.violations == ()
        assert any("202" in line for line in said)

    asyncio.run(run())


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    """Broken off while the server starts, the demo leaves with 0, and neither a process nor a file stays."""
    env = os.environ | {"TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "bot", "demo", "--log"]
    with waits.ended(subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env)) as demo:
        assert demo.stderr is not None
        assert demo.stderr.readline().startswith("GitHub ")
        demo.send_signal(signal.SIGINT)
        _, said = demo.communicate(timeout=waits.PATIENCE)  # until everybody who holds the pipe has gone
    assert (demo.returncode, "The demo has ended" in said) == (0, True)
    assert list(tmp_path.glob("deeprepo-demo-*")) == []
