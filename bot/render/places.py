"""Link to lines of the reviewed commit, and quote them."""

from typing import Any
from urllib.parse import quote

from bot.render.disarm import link
from bot.values import Evidence, PullRequest, Side
from bot.values.finding import MASK


def permalink(pull: PullRequest, path: str, side: Side, start: int = 0, end: int = 0) -> str:
    """Return the URL of these lines at the reviewed commit.

    Returns "" for a local repository or uncommitted work, or if the path is masked.
    """
    if not pull.url or pull.object_dir or MASK in path:
        return ""
    lines = (f"#L{start}" if start else "") + (f"-L{end}" if end > start else "")
    return (
        f"{pull.url}/blob/{pull.head if side == 'head' else pull.base}/{quote(path.encode('utf-8', 'replace'))}{lines}"
    )


def evidence(item: Evidence, pull: PullRequest, becomes: str = "") -> dict[str, Any]:
    """Return a quote with its location, for templates.

    `becomes` is the line with which the fix replaces it.
    """
    last = item.line + item.quote.strip("\n").count("\n") if item.line else 0
    address = "" if item.repository else permalink(pull, item.path, item.side, item.line, last)
    label = item.path + (f":{item.line}" if item.line else "")
    return {"where": link(label[:200], address), "note": item.note, "quote": item.quote, "becomes": becomes.strip()}
