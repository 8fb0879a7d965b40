"""Take the screenshots in docs/images: Chromium shows real reviews on the sandbox GitHub.

Run `make pictures` to take them again.
"""

import asyncio
import base64
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from browsing import BROWSER, DRIVER, Window, window
from rich.console import Console
from rich.text import Text
from whole import BROKEN, WORSE, Whole, whole

from deeprepo_sandbox import demo
from deeprepo_sandbox.demo import live, story

IMAGES = Path(__file__).parents[2] / "docs/images"
DESKTOP, PHONE = 760, 390  # CSS pixels
WHOLE_PAGE = 1280
TALL = 1600
COLUMNS = 96  # width of the terminal
COMMENT = "article.card.bot"  # a comment by the bot in the conversation
SUMMARY = f"{COMMENT}:has(h2)"
IDENTITY = {"shop/kind.py": "def big(size):\n    return size is 5\n"}
GOOD = {
    "shop/price.py": 'def total(items, tax, discount=0):\n    """The sum with tax."""\n    return (sum(items) - discount) * (1 + tax)\n'
}


@dataclass(frozen=True)
class Camera:
    """Takes screenshots of single page elements and stores them in `folder`."""

    browser: Window
    folder: Path

    async def take(
        self,
        name: str,
        address: str,
        selector: str,
        *,
        width: int = DESKTOP,
        dark: bool = False,
        unfolded: bool = False,
    ) -> None:
        """Take a screenshot of the last element that matches the selector, with an 8-pixel margin."""
        await asyncio.to_thread(
            self._take, name, address, selector, width, dark=dark, unfolded=unfolded
        )  # in a thread, because this event loop also serves the page

    def _take(self, name: str, address: str, selector: str, width: int, *, dark: bool, unfolded: bool) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1 if width > DESKTOP else 1.5, "mobile": False}
        self.browser.devtools("Emulation.setScrollbarsHidden", hidden=True)
        self.browser.devtools("Emulation.setEmulatedMedia", features=[scheme])
        self.browser.devtools("Emulation.setDeviceMetricsOverride", **size)
        self.browser.open(address)
        box = self.browser.script(
            "document.querySelectorAll('details:has(table)').forEach(one => one.open = true);"
            * unfolded
            + f"const all = document.querySelectorAll({selector!r}), at = all[all.length - 1].getBoundingClientRect();"
            "return [at.x + scrollX, at.y + scrollY, at.width, at.height, document.documentElement.scrollWidth]"
        )
        x, y, w, h, page = box
        assert page <= width, f"{name}: the page is {page} pixels wide on a screen of {width}"
        clip = {"x": max(0, x - 8), "y": max(0, y - 8), "width": w + 16, "height": min(h + 16, TALL), "scale": 1}
        shot = self.browser.devtools("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        (self.folder / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))


async def by_code(at: Whole, camera: Camera, folder: Path) -> None:
    """Take the pictures of reviews without a model: findings, a second review, a clean change, the demo."""
    number = await at.reviewed(files=WORSE)
    await at.repo.push("feature", {**BROKEN, **IDENTITY})
    await at.quiet()
    await camera.take("second-round", at.gh.page(number, "acme/shop"), SUMMARY)
    number = await at.reviewed(branch="discount", files=GOOD)
    await camera.take("clean", at.gh.page(number, "acme/shop"), SUMMARY)
    work = folder / "work"
    work.mkdir()
    demo.build(str(work))
    repo = await at.gh.repository("acme", "parcel", from_git=work)
    number = await repo.open_pull("pull-request", title=demo.TITLE, body=demo.BODY)
    await at.quiet()
    page = at.gh.page(number, "acme/parcel")
    await camera.take("summary", page, SUMMARY)
    await camera.take("summary-dark", page, SUMMARY, dark=True)
    await camera.take("summary-phone", page, SUMMARY, width=PHONE)
    await camera.take("coverage", page, f"{SUMMARY} details:has(table)", width=PHONE, unfolded=True)
    await camera.take("pull", page, "main", width=WHOLE_PAGE)
    await repo.push("pull-request", demo.repair())
    await at.quiet()
    await camera.take("fixed", page, SUMMARY)


async def in_terminal(folder: Path, camera: Camera) -> None:
    """Take the picture of the demo's review on the command line."""
    work = folder / "terminal"
    work.mkdir()
    demo.build(str(work))
    command = [sys.executable, "-m", "bot", "review", "--effort", "none", "--repo", str(work), "main..pull-request"]
    env = os.environ | {"FORCE_COLOR": "1", "COLORTERM": "truecolor", "COLUMNS": str(COLUMNS)}
    printed = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout  # noqa: ASYNC221 - nothing else runs
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text.from_ansi(printed))
    page = work / "console.html"
    page.write_text(f"<body style='margin: 0'>{console.export_svg(title='deeprepo review')}")
    await camera.take("console", page.as_uri(), "svg")


async def beyond(folder: Path, camera: Camera) -> None:
    """Take the picture of a finding in another repository that the demo's change breaks."""
    async with whole(folder) as at:
        work, user = folder / "work", folder / "user"
        for place, make in ((work, demo.build), (user, demo.build_user)):
            place.mkdir()
            make(str(place))
        repo = await at.gh.repository("acme", "parcel", from_git=work)
        await at.gh.repository("acme", "storefront", from_git=user)
        await repo.commit("main", {".deeprepo.yml": "consumers: [acme/storefront]\nquota: 9\n"})
        await at.gh.install()
        await at.quiet()
        number = await repo.open_pull("pull-request", title=demo.TITLE, body=demo.BODY)
        await at.quiet()
        (anchor,) = [
            one.id for one in at.gh.pull(number, "acme/parcel").review_comments if "acme/storefront" in one.body
        ]
        await camera.take("consumer", at.gh.page(number, "acme/parcel"), f"#discussion_r{anchor}", unfolded=True)


async def talked(camera: Camera) -> None:
    """Take a comment with a fix, and a conversation that withdraws a finding."""
    async with live.open_stage(0, live.SCRIPTED, print, None) as stage:
        await live.wait_for_review(stage)
        await camera.take("comment", stage.gh.page(stage.number), ".thread:has(.suggestion)")
        await story.play(stage.gh, stage.repo, stage.number, print)
        page = stage.gh.page(stage.number)
        comments = stage.gh.pull(stage.number).review_comments
        anchor = next(one.id for one in comments if story.OBJECTION in one.body)
        await camera.take("conversation", page, f".thread:has(#discussion_r{anchor})", unfolded=True)


@contextmanager
def camera(folder: Path) -> Iterator[Camera]:
    """Open a browser that stores its screenshots in this folder."""
    with tempfile.TemporaryDirectory() as profile, window(Path(profile)) as browser:
        yield Camera(browser, folder)


async def main(folder: Path) -> None:
    """Take all pictures."""
    with tempfile.TemporaryDirectory() as place, camera(folder) as taking:
        async with whole(Path(place, "code")) as at:
            await by_code(at, taking, Path(place))
        await in_terminal(Path(place), taking)
        await beyond(Path(place, "beyond"), taking)
        await talked(taking)


if __name__ == "__main__":
    if not (BROWSER and DRIVER):
        sys.exit("chromium and chromedriver were not found on PATH: install both to take the pictures")
    asyncio.run(main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES))
