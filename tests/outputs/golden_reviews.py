"""Reviews whose rendered pages are stored in golden/: console, summary comment and inline comments.

`python tests/outputs/golden_reviews.py` updates the files. Check the diff.
"""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from doors import shown
from sample_reviews import CLEAN, FINDING, PULL, REVIEW, UNREAD, numbered

from bot import __version__
from bot.outputs import console, posts
from bot.sections.walkthrough import FileRow, FirstPlace, Theme, Walkthrough
from bot.values import (
    CommentSpot,
    Cut,
    Evidence,
    Finding,
    PlacedFinding,
    ReportSettings,
    Review,
    Round,
    Silencing,
    Source,
    StrategyChoice,
    Verdict,
)
from tests.findings_changed import changed

GOLDEN = Path(__file__).parent / "golden"
ONLINE = replace(PULL, url="https://github.com/acme/app")
PYTHON = changed(
    FINDING, path="src/app/pay.py", quote="    if amount is 0:", start=12, end=12, evidence=(), trigger="charge(0.0)",
    title="`is` compares identity here, not the value", why="Two equal numbers need not be the same object.",
    consequence="A charge of 0.0 is booked.", severity="medium", category="logic", sources=(Source("analyser", "ruff"),), rule="F632",
    suggestion="    if amount == 0:", fingerprint="f9",
)  # fmt: skip
SPOT = CommentSpot("src/app/pay.py", 12, 12, "RIGHT")
HOSTILE = "@victim ![p](https://evil.example/p.png) <img src=x> /deeprepo cancel :tada: #1 <!-- deeprepo:{} --> \u202e\x1b[31m"
OWN = "# {{ result }}\n\n{% for row in full %}- {{ row.title }}\n{% endfor %}\n\n{{ cost }}\n"


def said(*placed: PlacedFinding, review: Review = REVIEW) -> Review:
    """Return the sample review with only these findings."""
    return replace(review, findings=placed, dropped=0, notes=(), turns=())


def at(finding: Finding, spot: CommentSpot | None = SPOT, **fields: object) -> PlacedFinding:
    """Return a finding placed on its lines."""
    return PlacedFinding(finding, "inline" if spot else "file", spot, **fields)  # type: ignore[arg-type]


def _many() -> Review:
    kinds = ("critical", "high", "medium", "low")
    findings = tuple(
        replace(PYTHON, severity=kinds[n % 4], title=f"Problem number {n}", start=n, end=n, fingerprint=f"n{n}")
        for n in range(1, 31)
    )
    placed = (at(f, replace(SPOT, start=f.start, end=f.start)) for f in findings)
    return said(*(p if p.finding.severity != "low" else replace(p, place="folded") for p in placed))


FIX = at(PYTHON, replacement="    if amount == 0:")
ROUND = replace(
    said(
        FIX,
        PlacedFinding(changed(FINDING, status="still")),
        PlacedFinding(changed(FINDING, status="still", how="moved", path="src/app/moved.py", start=7, end=8)),
        PlacedFinding(changed(PYTHON, status="fixed", title="The retry never ended")),
        PlacedFinding(changed(PYTHON, status="silenced", silencing=Silencing("meant", "rule"))),
    ),
    round=Round(2, since="c" * 40),
)
WALK = Walkthrough(
    "Payments are rounded to whole cents before they are booked. Reports no longer differ from the bank by a cent.",
    "model",
    (
        Theme("Rounding", (FileRow("src/app/pay.py", "rounds each charge", "model"), FileRow("src/app/io/bank.py", "takes cents", "model")), "model"),
        Theme("Code", (FileRow("src/app/report.py", "edits `sums`"), FileRow("src/app/a|b`c.py", "new: ``d`e``"))),
        Theme("Tests", (FileRow("tests/test_pay.py", "adds `test_cents`"),)),
    ),
    FirstPlace("src/app/pay.py", 12, "head", "finding 1 (medium) is here."),
)  # fmt: skip
LARGE = Walkthrough(
    "281 edited files (+900 -300).",
    "code",
    tuple(
        Theme("Code", tuple(FileRow(f"src/part{k}/deep/file{n}.py", "+3 -1") for n in range(40 - k))) for k in range(6)
    ),
)
REVIEWS: Mapping[str, Review] = {
    "walkthrough": replace(said(FIX), pull=ONLINE, parts={"walkthrough": WALK}),
    "walkthrough_of_many_files": replace(CLEAN, parts={"walkthrough": LARGE}),
    "usual": REVIEW,
    "clean": CLEAN,
    "unread": UNREAD,
    "partial": replace(UNREAD, cut=Cut(partial=True), notes=("The cap of $1.00 is reached.",)),
    "price_unknown": replace(said(FIX), cost=replace(REVIEW.cost, usd=None, root_usd=None)),
    "many": _many(),
    "outside": said(PlacedFinding(FINDING, "outside"), review=replace(REVIEW, pull=ONLINE)),
    "fix": said(FIX),
    "fix_refused": said(at(replace(PYTHON, suggestion="    if amount == 0"), refused="syntax")),
    "deletion": said(at(replace(PYTHON, suggestion=""), replacement="")),
    "fence_in_code": said(at(replace(PYTHON, quote="a\n```\n# b\n````", suggestion=None, start=0, end=0))),
    "hostile": replace(
        said(at(replace(FINDING, title=HOSTILE, why=HOSTILE, quote=HOSTILE, path=HOSTILE, suggestion=HOSTILE, trigger=HOSTILE,
                        evidence=(Evidence(HOSTILE, HOSTILE, 3, note=HOSTILE),)))),
        summary=HOSTILE, notes=(HOSTILE,), strategy=StrategyChoice("parts", HOSTILE), pull=replace(ONLINE, title=HOSTILE, head_name=HOSTILE),
    ),
    "secret": shown(said(at(replace(PYTHON, category="secret", quote='KEY = "abcd1234efgh5678"', title="A key is committed",
                              suggestion='KEY = read("abcd1234efgh5678")'), replacement='KEY = read("abcd1234efgh5678")'))),
    "permalinks": replace(said(at(FINDING, CommentSpot(FINDING.path, 41, 42, "RIGHT")), PlacedFinding(PYTHON, "outside")), pull=ONLINE),
    "round_two": ROUND,
    "unproven_on_demand": said(FIX, PlacedFinding(changed(FINDING, status="unproven", verdict=Verdict.UNPROVEN))),
    "unsettled": said(FIX, PlacedFinding(changed(FINDING, verdict=Verdict.UNPROVEN, unsettled="Whether the amount can be a string is decided in `read_row`, which was not shown."), "folded")),
    "nothing_new": replace(ROUND, findings=ROUND.findings[3:]),
    "own_template": replace(said(FIX), settings=ReportSettings(templates=(("summary.md.j2", OWN),))),
    "broken_template": replace(said(FIX), settings=ReportSettings(templates=(("summary.md.j2", "{{ nothing_like_that }}"),))),
    "wide_letters": said(at(replace(PYTHON, title="名前が二回使われる", quote="名前 = 1", why="変数は上書きされる。"))),
    "short": replace(said(at(replace(PYTHON, why="Two equal numbers need not be the same object. CPython keeps small ones only.", evidence=FINDING.evidence),
                             replacement="    if amount == 0:"), PlacedFinding(FINDING, "outside")), settings=ReportSettings(tone="short")),
    "kept_back": replace(CLEAN, settings=ReportSettings(minimum="high"), findings=(PlacedFinding(changed(PYTHON, status="below")), PlacedFinding(changed(PYTHON, severity="low", status="below")))),
}  # fmt: skip


def rendered(name: str) -> dict[str, str]:
    """Render a review's files."""
    review = numbered(REVIEWS[name])
    made = posts.comments(review)
    heads = [f"=== {post.path} {post.subject} {post.side} {post.start_line} {post.line}" for post in made.posts]
    inline = "\n".join(f"{head}\n{post.body}" for head, post in zip(heads, made.posts, strict=True))
    files = {
        f"{name}.console.txt": console.render(review),
        f"{name}.summary.md": made.summary,
        f"{name}.inline.md": inline,
    }
    by = f'"by": "{__version__}"'  # a release does not change the pages
    return {file: text.replace(by, '"by": "VERSION"') for file, text in files.items()}


def write() -> int:
    """Update all files, and return how many changed."""
    GOLDEN.mkdir(exist_ok=True)
    wanted = {file: text for name in REVIEWS for file, text in rendered(name).items()}
    changed = 0
    for path in GOLDEN.iterdir():
        if path.name not in wanted:
            path.unlink()
    for file, text in wanted.items():
        path = GOLDEN / file
        if not path.exists() or path.read_bytes() != text.encode():
            path.write_bytes(text.encode())
            changed += 1
    return changed


if __name__ == "__main__":
    sys.stdout.write(f"{write()} files have changed\n")
