"""Links between pages work, and every page can be reached."""

import re
from pathlib import Path

import doc_pages
import pytest
from doc_pages import PAGES, ROOT

README = ROOT / "README.md"


def local(page: Path) -> list[tuple[str, Path, str]]:
    """Return a page's links within the repository: the link, its target file and its anchor."""
    found = []
    for link in doc_pages.links(page):
        path, _, anchor = link.partition("#")
        if "://" not in link and not link.startswith("mailto:"):
            found.append((link, (page.parent / path).resolve() if path else page, anchor))
    return found


@pytest.mark.parametrize("page", PAGES, ids=doc_pages.name)
def test_links_lead_to_existing_files_and_headings(page: Path) -> None:
    """Each link leads to an existing file and, if it has an anchor, to an existing heading."""
    dead = [
        link
        for link, target, anchor in local(page)
        if not target.exists() or (anchor and anchor not in doc_pages.anchors(target))
    ]
    assert dead == []


def test_every_page_can_be_reached() -> None:
    """Every page and image in docs can be reached from the README, whose links are absolute in a release."""
    if "](docs/" not in README.read_text(encoding="utf-8"):
        pytest.skip("the links of a release's README are absolute")
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
    """The total length of users' pages and of contributors' pages is limited. The changelog doesn't count."""
    for_contributors = {page for page in PAGES if "contributing" in page.parts or page.name == "CONTRIBUTING.md"}
    pages = for_contributors if readers == "contributors" else {*PAGES} - for_contributors - {ROOT / "CHANGELOG.md"}
    words = [word for page in pages for word in page.read_text(encoding="utf-8").split() if re.search(r"\w", word)]
    assert len(words) <= most
