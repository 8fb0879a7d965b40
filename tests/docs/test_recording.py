"""The recording in the README matches the demo's current output."""

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "docs" / "images" / "demo.svg"


def words(path: Path) -> list[str]:
    """Return the texts in a recording, without the duration of the review."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", path.read_text(encoding="utf-8"))
    return [re.sub(r"\d+\.\d s", "…", unescape(re.sub("<[^>]+>", "", text))) for text in texts]


def test_recording_matches_the_demo_output(tmp_path: Path) -> None:
    """If the demo's output changes, `make recording` updates the recording."""
    now = tmp_path / "demo.svg"
    subprocess.run([sys.executable, ROOT / ".ci" / "recording.py", now], check=True)
    assert words(now) == words(RECORDED)
    assert not re.search("[\u2800-\u28ff]", now.read_text(encoding="utf-8"))  # no progress spinner remains
