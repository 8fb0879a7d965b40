"""Links between the pages: each leads somewhere, and each page can be reached."""

import re
from pathlib import Path

import doc_pages
import pytest
from doc_pages import PAGES, ROOT

README = ROOT / "README.md"


def local(page: Path) -> list[tuple[str, Path, str]]:
    """The links of a page that stay in the repository: as written, where they lead, what they name there."""
    found = []
    for link in doc_pages.links(page):
        path, _, anchor = link.partition("#")
        if "://" not in link and not link.startswith("mailto:"):
            found.append((link, (page.parent / path).resolve() if path else page, anchor))
    return found


@pytest.mark.parametrize("page", PAGES, ids=doc_pages.name)
def test_links_lead_somewhere(page: Path) -> None:
    """A file that is there, and a heading that it has."""
    dead = [
        link
        for link, target, anchor in local(page)
        if not target.exists() or (anchor and anchor not in doc_pages.anchors(target))
    ]
    assert dead == []


def test_every_page_can_be_reached() -> None:
    """From the README, link by link, one comes to every page of docs and every picture."""
    seen, waiting = {README}, [README]
    while waiting:
        for _, target, _ in local(waiting.pop()):
            if target not in seen:
                seen.add(target)
                waiting += [target] if target.suffix == ".md" and target.exists() else []
    written = {*(page for page in PAGES if "docs" in page.parts), *(ROOT / "docs" / "images").iterdir()}
    assert sorted(doc_pages.name(page) for page in written - seen) == []


@pytest.mark.parametrize(("readers", "most"), [("users", 26_600), ("contributors", 9_000)])
def test_pages_stay_short(readers: str, most: int) -> None:
    """All that users, and all that contributors might read, in words; the list of changes is for neither."""
    for_contributors = {page for page in PAGES if "contributing" in page.parts or page.name == "CONTRIBUTING.md"}
    pages = for_contributors if readers == "contributors" else {*PAGES} - for_contributors - {ROOT / "CHANGELOG.md"}
    words = [word for page in pages for word in page.read_text(encoding="utf-8").split() if re.search(r"\w", word)]
    assert len(words) <= most
