from dataclasses import replace
from datetime import date

import pytest

from bot.errors import ConfigError
from bot.features.teaching import ignore_file
from bot.values import Basis, Finding, OwnerRule, Silencing, Source, Verdict
from bot.values.rule import IgnoreScope
from bot.values.shared_file import UnusableFile
from tests.findings_changed import changed

TODAY = date(2026, 6, 1)
FINDING = Finding(
    "src/a.py", "x = f()", "f is gone", "w", "c", "high", "contract", Basis((Source("analyser", "contracts"),)), rule="removed-symbol", fingerprint="abc"
)  # fmt: skip


def split(text: str, finding: Finding = FINDING) -> tuple[bool, tuple[str, ...]]:
    """Return whether the finding is still reported, and the warnings."""
    ignored = ignore_file.read_ignore_file(text.encode(), TODAY)
    return bool(ignored.split([finding])[0]), ignored.warnings


@pytest.mark.parametrize(
    ("entry", "other"),
    [
        ("finding: abc\n  path: src/", replace(FINDING, fingerprint="abd")),
        ("kind: removed-symbol\n  path: src/**", replace(FINDING, path="lib/a.py")),
        ("kind: contract\n  path: src/", replace(FINDING, rule="", category="logic")),
        ("kind: all\n  path: src/a.py", replace(FINDING, path="src/b.py")),
        ("fingerprint: abc\n  path: src/", replace(FINDING, fingerprint="abd")),  # the format of earlier versions
        ("scope: rule\n  rule: removed-symbol\n  path: src/**", replace(FINDING, path="lib/a.py")),
        ("scope: path\n  path: src/a.py", replace(FINDING, path="src/b.py")),
    ],
)
def test_entry_ignores_only_the_findings_it_describes(entry: str, other: Finding) -> None:
    """An entry ignores one finding, one rule or category in some files, or everything in some files."""
    text = f"- {entry}\n  reason: known\n"
    mine = replace(FINDING, rule="") if "kind: contract" in entry else FINDING
    assert split(text, mine) == (False, ())
    assert split(text, other) == (True, ())


def test_ignored_finding_is_listed_with_the_reason() -> None:
    """Ignored findings are listed with the reason."""
    ignored = ignore_file.read_ignore_file(b"- fingerprint: abc\n  reason: by design\n", TODAY)
    _, (silenced,) = ignored.split([FINDING])
    assert silenced == changed(FINDING, status="silenced", silencing=Silencing("by design", "finding"))


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("- fingerprint: abc\n  reason: r\n  expires: 2026-05-31\n", "expired on 2026-05-31"),
        ("- kind: claims\n  path: a.py\n  reason: r\n", "`claims` entries belong in `ignore` in .deeprepo.yml"),
        ("- scope: rule\n  rule: removed-symbol\n  reason: r\n", "needs path"),
        ("- scope: galaxy\n  reason: r\n", "scope"),
        ("- just text\n", "entry 1"),
        ("fingerprint: abc\n", "must contain a list"),
        ("- [\n", "not valid YAML"),
        ("[" * 5_000, "nested too deeply"),
        ("- fingerprint: abc\n  reason: r\n  expires: 2026-13-45\n", "not valid YAML"),
        ("- scope: path\n  path: '!'\n  reason: r\n", "path: "),
    ],
)
def test_invalid_entry_gives_a_warning(text: str, warning: str) -> None:
    """The finding is still reported, and a warning gives the reason."""
    said, warnings = split(text)
    assert said
    assert warning in warnings[0]


def test_entry_with_an_unknown_key_still_applies() -> None:
    """The entry still ignores its finding, and a warning names the key."""
    said, warnings = split("- fingerprint: abc\n  reason: r\n  untill: 2027-01-01\n")
    assert not said
    assert "untill: unknown key" in warnings[0]


@pytest.mark.parametrize("path", ["app/[id]/page.tsx", "setup.py", "#a b.py", "!x?.py", "a\\b*.py"])
@pytest.mark.parametrize("scope", ["rule", "path"])
def test_entry_for_a_finding_matches_only_its_file(path: str, scope: IgnoreScope) -> None:
    """Brackets are matched literally, and a file in the top folder doesn't match one in a subfolder."""
    mine = replace(FINDING, path=path)
    text = ignore_file.add_entry(None, ignore_file.entry_for(mine, scope, "r"))
    assert split(text, mine) == (False, ())
    assert split(text, replace(mine, path=f"other/{path}")) == (True, ())


def test_existing_entries_and_comments_are_unchanged() -> None:
    """The entry is appended, and existing entries and comments are unchanged."""
    before = b"# our own words\n- fingerprint: old\n  reason: r  # why\n"
    text = ignore_file.add_entry(before, ignore_file.entry_for(FINDING, "rule", 'says: "no"\n- not an entry'))
    assert text.encode().startswith(before.rstrip())
    assert "\n- kind: removed-symbol\n  path: =src/a.py\n" in text
    read = ignore_file.read_ignore_file(text.encode(), TODAY)
    assert [(entry.fingerprint, entry.path) for entry in read.entries] == [("old", "")]
    assert read.rules == (
        OwnerRule("=src/a.py", "removed-symbol", 'says: "no"\n- not an entry', 2, file=".deeprepo/ignore.yml"),
    )


@pytest.mark.parametrize("before", [b"fingerprint: abc\n", b"- reason: caf\xe9\n", b"- [\n"])
def test_no_entry_is_added_to_an_unusable_file(before: bytes) -> None:
    """The entry would not apply, and bytes that cannot be decoded would be lost."""
    with pytest.raises(ConfigError, match=r"\.deeprepo/ignore\.yml line \d: .*Correct it, then try again"):
        ignore_file.add_entry(before, ignore_file.entry_for(FINDING, "rule", "known"))


def test_symbolic_link_instead_of_the_file_gives_a_warning() -> None:
    """A symbolic link at the file's path gives a warning."""
    read = ignore_file.read_ignore_file(UnusableFile("it is a symbolic link, not a file"), TODAY)
    assert read.warnings == (".deeprepo/ignore.yml: it is a symbolic link, not a file, so nothing in it applies",)


def test_category_entry_covers_only_likely_findings() -> None:
    """A category covers findings that are likely. Proven findings are only ignored by their rule."""
    text = "- kind: contract\n  path: src/\n  reason: known\n"
    likely = replace(FINDING, basis=Basis((Source("model", "m"),)))
    assert split(text, likely) == (False, ())
    proven = replace(FINDING, basis=Basis(FINDING.basis.sources, verdict=Verdict.PROVEN))
    assert split(text, proven) == (True, ())
