from dataclasses import replace
from datetime import date

import pytest

from bot.findings import ignore_file
from bot.values import Basis, Finding, Silencing, Source
from bot.values.shared_file import UnusableFile
from tests.findings_changed import changed

TODAY = date(2026, 6, 1)
FINDING = Finding(
    "src/a.py", "x = f()", "f is gone", "w", "c", "high", "contract", Basis((Source("analyser", "contracts"),)), rule="removed-symbol", fingerprint="abc"
)  # fmt: skip


def split(text: str, finding: Finding = FINDING) -> tuple[bool, tuple[str, ...]]:
    """Return whether the finding is still reported, and the warnings."""
    ignored = ignore_file.read(text.encode(), TODAY)
    return bool(ignored.split([finding])[0]), ignored.warnings


@pytest.mark.parametrize(
    ("entry", "other"),
    [
        ("finding: abc\n  path: src/", replace(FINDING, fingerprint="abd")),
        ("kind: removed-symbol\n  path: src/**", replace(FINDING, path="lib/a.py")),
        ("kind: contract\n  path: src/", replace(FINDING, rule="", category="logic")),
        ("kind: all\n  path: src/a.py", replace(FINDING, path="src/b.py")),
    ],
)
def test_entry_ignores_only_the_findings_it_describes(entry: str, other: Finding) -> None:
    """An entry ignores one finding, one rule or category in some files, or everything in some files."""
    text = f"- {entry}\n  reason: known\n"
    mine = replace(FINDING, rule="") if "kind: contract" in entry else FINDING
    assert split(text, mine) == (False, (ignore_file.DEPRECATED,))
    assert split(text, other) == (True, (ignore_file.DEPRECATED,))


def test_ignored_finding_is_listed_with_the_reason() -> None:
    """Ignored findings are listed with the reason."""
    ignored = ignore_file.read(b"- finding: abc\n  reason: by design\n", TODAY)
    _, (silenced,) = ignored.split([FINDING])
    assert silenced == changed(FINDING, status="silenced", silencing=Silencing("by design", "finding"))


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("- finding: abc\n  reason: r\n  expires: 2026-05-31\n", "expired on 2026-05-31"),
        ("- kind: claims\n  path: a.py\n  reason: r\n", "`claims` entries belong in `ignore` in .deeprepo.yml"),
        ("- kind: removed-symbol\n  reason: r\n", "`kind` and `path`"),
        ("- finding: abc\n  reason: r\n  untill: 2027-01-01\n", "untill"),
        ("- just text\n", "entry 1"),
        ("reason: abc\n", "needs `finding`"),
        ("- [\n", "not valid YAML"),
        ("[" * 5_000, "nested too deeply"),
        ("- finding: abc\n  reason: r\n  expires: 2026-13-45\n", "not valid YAML"),
        ("- kind: all\n  path: '!'\n  reason: r\n", "path: "),
    ],
)
def test_invalid_entry_gives_a_warning(text: str, warning: str) -> None:
    """The finding is still reported, and a warning gives the reason."""
    said, warnings = split(text)
    assert said
    assert warning in warnings[-1]


def test_symbolic_link_instead_of_the_file_gives_a_warning() -> None:
    """A symbolic link at the file's path gives a warning."""
    read = ignore_file.read(UnusableFile("it is a symbolic link, not a file"), TODAY)
    assert read.warnings == (".deeprepo/ignore.yml: it is a symbolic link, not a file, so nothing in it applies",)
