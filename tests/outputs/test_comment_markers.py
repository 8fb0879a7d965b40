import json

import pytest

from bot import __version__
from bot.stored import markers
from bot.stored.markers import Marker


@pytest.mark.parametrize("fact", ["f0", "a--b", "--> <script>", 'quo"te', "ü\n\u202e", ""])
def test_marker_round_trips_as_one_html_comment(fact: str) -> None:
    """A marker stays one HTML comment on one line, whatever its facts contain."""
    line = markers.make("finding", fingerprint=fact)

    assert markers.read(f"{line}\nbody") == Marker("finding", {"fingerprint": fact}, by=__version__)
    assert line.count("-->") == 1
    assert "--" not in line[4:-3]
    assert "\n" not in line


@pytest.mark.parametrize(
    "body",
    [
        "",
        "hello\n" + markers.make("finding"),
        " " + markers.make("finding"),
        "> " + markers.make("finding"),
        "```\n" + markers.make("finding") + "\n```",
        markers.make("finding") + " and more",
        "<!-- deeprepo:{} -->",
        '<!-- deeprepo:{"v":2,"kind":"finding"} -->',
        '<!-- deeprepo:{"v":1,"kind":["finding"]} -->',
        "<!-- deeprepo:[1] -->",
        "<!-- deeprepo:{not json} -->",
        '<!-- DeepRepo:{"v":1} -->',
        "<!-- deeprepo:{" + '"a":' * 3_000 + "1} -->",
        "<!-- deeprepo:" + json.dumps({"v": 1, "kind": "x" * 3_000}) + " -->",
    ],
)
def test_invalid_marker_is_not_recognized(body: str) -> None:
    """A marker must be the complete first line, valid, small and of our version."""
    assert markers.read(body) == markers.NO_MARKER


def test_marker_with_crlf_is_recognized() -> None:
    """GitHub returns text from its web form with CRLF."""
    assert markers.read(markers.make("summary", head="a") + "\r\nbody").facts == {"head": "a"}
