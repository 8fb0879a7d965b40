"""How an organization's default settings combine with a repository's own file."""

from typing import Any

import pytest

from bot import config
from bot.config import Settings
from bot.config.defaults import IgnoreItem, Instruction, key_in_file
from bot.values import RequiredCheckSeverity
from bot.values.shared_file import SharedFile

ACME = ".deeprepo.yml of acme/.deeprepo"
OWN = ".deeprepo.yml"


def resolved(own: str | None, ours: str, **organization: str | bool) -> config.Config:
    """Resolve the settings from a repository's file and its organization's file."""
    file = SharedFile("acme/.deeprepo", ours.encode(), **organization)  # type: ignore[arg-type]
    return config.resolve({}, None if own is None else own.encode(), Settings(), shared=(file,))


def instruction(name: str, text: str, must: RequiredCheckSeverity) -> Instruction:
    """Build an instruction that requires an answer."""
    return Instruction(name=name, text=text, must=must)


LISTS = {
    "unread": "ignore",
    "rules": "ignore",
    "learnings": "ignore",
    "checks": "instructions",
}  # config attribute -> setting it comes from
OLD_NAMES = {"checks": "requirements"}
# The repository's file, the organization's file, the setting, its value and its origin.
MERGED: list[tuple[str | None, str, str, Any, str]] = [
    (None, "quota: 2", "quota", 2, ACME),
    ("tone: short", "quota: 2", "quota", 2, ACME),
    ("quota: 1", "quota: 2", "quota", 1, OWN),
    ("budget: {calls: 5}", "budget: {usd: 0.5}", "usd", 0.5, ACME),
    ("", "budget: {usd: 40}", "usd", 1.0, f"the default (DEEPREPO_USD sets another), lower than the 40.00 from: {ACME}"),
    ("strict: false", "strict: true", "strict", False, OWN),
    ("analyzers: [ruff]", "analyzers: [secrets]", "analyzers", ("ruff",), OWN),
    ("ignore: ['!b/own']", "ignore: [b/]", "unread", ("b/", "!b/own"), f"{OWN} and {ACME}"),
    ("ignore: []", "ignore: [b/]", "ignore", (), "default"),
    (
        "ignore: [{path: a, kind: logic}]",
        "ignore: [{path: b, kind: F401}]",
        "rules",
        (IgnoreItem(path="b", kind="F401"), IgnoreItem(path="a", kind="logic")),
        f"{OWN} and {ACME}",
    ),
    (
        "instructions: [{name: x, text: mine, must: warn}]",
        "instructions: [{name: x, text: theirs, must: warn}, {name: y, text: more, must: warn}]",
        "checks",
        (instruction("x", "mine", "warn"), instruction("y", "more", "warn")),
        f"{OWN} and {ACME}",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("own", "ours", "name", "value", "origin"), MERGED)
def test_repository_settings_are_merged_over_the_organization(
    own: str, ours: str, name: str, value: object, origin: str
) -> None:
    """The repository's value wins; entries in lists are combined, and `[]` drops the organization's."""
    merged = resolved(own, ours)
    assert (getattr(merged, OLD_NAMES.get(name, name)), merged.origins[LISTS.get(name, name)]) == (value, origin)


# The setting, the repository's file, the organization's file, and the value if the organization enforces it.
ENFORCED: list[tuple[str, str, str, Any]] = [
    ("fail_on", "fail_on: critical", "fail_on: high", "high"),
    ("unread", "ignore: ['**']", "ignore: [gen/]", ("gen/",)),
    ("ignore", "ignore: ['**']", "ignore: []", ()),
    ("rules", "ignore: [{path: '**', kind: security}]", "ignore: []", ()),
    ("learnings", "ignore: [{path: '**', kind: claims, reason: fine}]", "ignore: []", ()),
    ("analyzers", "analyzers: []", "analyzers: [secrets]", ("secrets",)),
    ("verify", "verify: false", "verify: true", True),
    ("language", "language: fr", "language: de", "de"),
    ("usd", "budget: {usd: 0.9}", "budget: {usd: 0.2}", 0.2),
    ("usd", "budget: {usd: 0.9}", "budget: {usd: 40}", 1.0),  # the operator's ceiling applies to both
    ("worker", "models: {worker: a/dear}", "models: {worker: a/cheap}", "a/cheap"),
    ("request_changes", "request_changes: off", "request_changes: high", "high"),
    (
        "checks",
        "instructions: [{name: x, text: nothing, must: note}, {name: y, text: more, must: warn}]",
        "instructions: [{name: x, text: all, must: true}]",
        (instruction("x", "all", "fail"), instruction("y", "more", "warn")),
    ),
    (
        "checks",
        "instructions: []",
        "instructions: [{name: x, text: all, must: fail}]",
        (instruction("x", "all", "fail"),),
    ),
]


@pytest.mark.parametrize(("name", "own", "ours", "holds"), ENFORCED)
def test_enforced_settings_cannot_be_loosened(name: str, own: str, ours: str, holds: object) -> None:
    """The organization's value applies, and its checks run in addition to the repository's own."""
    setting = LISTS.get(name, name)
    held = resolved(own, f"{ours}\nenforce: [{key_in_file(setting)}]")
    assert getattr(held, OLD_NAMES.get(name, name)) == holds
    assert ACME in held.origins[setting]


BROKEN = [
    ("quota: [", "line 1"),
    ("quota: many", "quota: write a whole number"),
    ("a: &x [1]\nb: *x", "alias"),
    ("x" * 64_001, "longer than 64,000"),
    ("- 1", "must consist of `key: value` lines"),
]


@pytest.mark.parametrize(("text", "sentence"), BROKEN)
def test_broken_organization_file_gives_a_warning(text: str, sentence: str) -> None:
    """Only the repository's own settings apply, and a warning gives the reason."""
    held = resolved("quota: 1", text)
    assert held.quota == 1
    (warning,) = held.warnings
    assert ACME in warning
    assert sentence in warning


SECRET = "the-codename-of-our-merger"


@pytest.mark.parametrize(
    "text", [f"fail_on: high\nignore: [{SECRET}]\nenforce: [{SECRET}]", "quota: [", f"{SECRET}: 1"]
)
def test_private_organization_file_is_ignored_in_a_public_repository(text: str) -> None:
    """The private file is ignored in a public repository, with a warning that reveals nothing in it."""
    held = resolved("quota: 3", text, is_shown=False)
    assert (held.fail_on, held.quota, held.ignore) == (None, 3, ())
    assert "is private, but this repository is public" in held.warnings[0]
    assert SECRET not in repr((held, *held.rows()))
