"""The recording in the README shows what the demo prints today."""

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "docs" / "images" / "demo.svg"


def words(path: Path) -> list[str]:
    """The texts in a recording, without the time that the review took."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", path.read_text(encoding="utf-8"))
    return [re.sub(r"\d+\.\d s", "…", unescape(re.sub("<[^>]+>", "", text))) for text in texts]


def test_the_recording_is_what_the_demo_prints(tmp_path: Path) -> None:
    """After a change of the demo's output, `make recording` makes it again."""
    now = tmp_path / "demo.svg"
    subprocess.run([sys.executable, ROOT / ".ci" / "recording.py", now], check=True)
    assert words(now) == words(RECORDED)
    assert not re.search("[\u2800-\u28ff]", now.read_text(encoding="utf-8"))  # nothing is left of the progress line
