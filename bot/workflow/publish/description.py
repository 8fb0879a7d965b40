"""Keep our section of the description up to date. The rest of the description belongs to the author."""

from collections import defaultdict
from posixpath import dirname

from bot.github import Host
from bot.outputs import facts
from bot.render import Safe, comment, load
from bot.values import Review

START, END = "<!-- deeprepo description -->", "<!-- end of deeprepo description -->"
MOST_FOLDERS = 12  # folders listed in the section
MAX_DESCRIPTION_CHARS = 65_536  # GitHub's limit


async def update(review: Review, host: Host) -> None:
    """Write the section, unless it is up to date, or a person has removed it since the first review.

    May be repeated after a crash. Raises HostError's kinds.
    """
    now = await host.facts()
    body = with_section(now.body or "", section(review), is_first=review.round.number == 1 or review.round.full)
    if now.head_sha == review.pull.head and body != now.body and len(body) <= MAX_DESCRIPTION_CHARS:
        await host.client.json(host.rest.pulls.async_update(*host.at, body=body))


def with_section(body: str, text: str, *, is_first: bool) -> str:
    """Return the description with the section between its markers.

    The description stays unchanged if a person has removed the section or one of its markers. Only the first
    review adds a missing section.
    """
    counts = body.count(START), body.count(END)
    if counts == (1, 1) and body.index(START) < body.index(END):
        before, _, rest = body.partition(START)
        return f"{before}{START}\n{text}\n{END}{rest.partition(END)[2]}"
    if counts != (0, 0) or not is_first:
        return body
    return f"{body.rstrip()}\n\n{START}\n{text}\n{END}".lstrip()


def section(review: Review) -> str:
    """Return the section's Markdown: a model's summary if there is one, the size, and the files by folder."""
    words, by_folder = load(), defaultdict[str, list[int]](lambda: [0, 0, 0])
    for file in review.files:
        row = by_folder[dirname(file.path) or words.say("top_folder")]
        row[:] = row[0] + 1, row[1] + len(file.added_lines), row[2] + len(file.removed_lines)
    rows = [(name, count, added, removed) for name, (count, added, removed) in by_folder.items()]
    folders = sorted(rows, key=lambda row: (-row[2] - row[3], row[0]))
    return comment(
        "description/section.md.j2",
        words,
        summary=review.summary,
        size=Safe(facts.size(review, words)),
        folders=folders[:MOST_FOLDERS],
        more=max(len(folders) - MOST_FOLDERS, 0),
    ).strip()
