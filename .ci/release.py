"""Write the tree that a release is built from: `release.py ADDRESS TREE [TAG]`. Without arguments, print the version's tag.

The repository doesn't know its own address. A release does: its pages, links and project metadata name ADDRESS, such as
https://github.com/OWNER/deeprepo. CHANGELOG.md must describe the version in bot/__init__.py, and TAG must be its tag.
"""

import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
PLACEHOLDER = "OWNER/deeprepo"
LINK = re.compile(r"(\]\(|src=\")(?!https?:|#)([^)\"#]+)")


def version() -> str:
    """Return the version, which must have a section in the changelog."""
    found = re.search(r'^__version__ = "([^"]+)"$', (ROOT / "bot" / "__init__.py").read_text(), re.MULTILINE)
    name = found[1] if found else "unknown"
    if f"## {name}\n" not in (ROOT / "CHANGELOG.md").read_text():
        sys.exit(f"CHANGELOG.md has no section `## {name}`")
    return name


def edit(path: Path, old: str, new: str) -> None:
    """Replace text that the file must contain."""
    text = path.read_text()
    if old not in text:
        sys.exit(f"{path.name} does not contain {old!r}")
    path.write_text(text.replace(old, new, 1))


def git(*arguments: str) -> str:
    """Return what a git command prints."""
    return subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=True).stdout


def copy(tree: Path) -> None:
    """Copy what git tracks."""
    for name in filter(None, git("ls-files", "-z").split("\0")):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tree / name, follow_symlinks=False)


def address_in(tree: Path, address: str, tag: str) -> None:
    """Write the address into the pages and the metadata. Links in README.md are absolute, as package registries show it."""
    slug = urlsplit(address).path.strip("/")
    for page in (tree / "README.md", *(tree / "docs").rglob("*.md"), tree / "docs" / "kubernetes.yaml"):
        page.write_text(page.read_text().replace(PLACEHOLDER, slug))
    readme = tree / "README.md"
    kinds = {'src="': "raw", "](": "blob"}
    readme.write_text(LINK.sub(lambda link: f"{link[1]}{address}/{kinds[link[1]]}/{tag}/{link[2]}", readme.read_text()))
    edit(readme, "`pip install .` in a clone of this repository", "`pip install deeprepo-bot`")
    commit = git("rev-parse", "HEAD").strip()
    urls = {
        "Source": f"{address}/tree/{commit}",
        "Changelog": f"{address}/blob/{tag}/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }
    rows = "".join(f'{name} = "{url}"\n' for name, url in urls.items())
    edit(tree / "pyproject.toml", "[project.scripts]", f"[project.urls]\n{rows}\n[project.scripts]")


def main() -> None:
    """Exit with a sentence if something does not agree."""
    name = version()
    if not sys.argv[1:]:
        sys.stdout.write(f"v{name}\n")
        return
    address, folder, tag = (*sys.argv[1:], f"v{name}")[:3]
    if tag != f"v{name}":
        sys.exit(f"the tag must be v{name}, the version in bot/__init__.py; it is {tag}")
    parts = urlsplit(address)
    if parts.scheme != "https" or not re.fullmatch(r"/[\w.-]+/[\w.-]+", parts.path):
        sys.exit(
            f"ADDRESS must be the repository's, such as https://github.com/{PLACEHOLDER}; it is {address or 'missing'}"
        )
    tree = Path(folder)
    copy(tree)
    address_in(tree, address, f"v{name}")
    edit(tree / "CHANGELOG.md", f"## {name}\n", f"## {name} ({datetime.now(UTC):%Y-%m-%d})\n")


main()
