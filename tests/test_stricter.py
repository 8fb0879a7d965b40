"""The settings of two branches: of each the stricter one, by the rule that it is declared with."""

import json
from itertools import combinations, permutations
from typing import Any

import pytest

from bot import config
from bot.config import DEFAULTS, RepoConfig, Settings, Triggers
from bot.config.repository import declared_rules, rules
from bot.text import globs


def bounded(own: str, default: str) -> config.Config:
    """The settings of a base branch within those of the default branch."""
    return config.resolve({}, own.encode(), Settings(), bound=default.encode())


def test_every_setting_has_a_rule() -> None:
    """A setting that is declared without one would be the stranger's choice."""
    sections = {"models", "budget", "triggers", "enforce"}  # `enforce` says what an organization's defaults bound
    assert set(declared_rules()) == set(DEFAULTS)
    assert set(rules(Triggers)) == set(Triggers.model_fields)
    assert set(RepoConfig.model_fields) - set(rules(RepoConfig)) == sections


STRICTER: list[tuple[str, str, str, Any]] = [
    ("usd", "budget: {usd: 0.9}", "budget: {usd: 0.1}", 0.1),
    ("usd", "budget: {usd: 0.05}", "budget: {usd: 0.1}", 0.05),
    ("usd", "", "budget: {usd: 0.1}", 0.1),
    ("fail_on", "", "fail_on: high", "high"),
    ("fail_on", "fail_on: critical", "fail_on: medium", "medium"),
    ("fail_on", "fail_on: low", "", "low"),
    ("request_changes", "request_changes: off", "request_changes: high", "high"),
    ("minimum_severity", "minimum_severity: critical", "", "low"),
    ("effort", "effort: high", "effort: low", "low"),
    ("strategy", "strategy: rlm", "effort: none", "offline"),
    ("strategy", "effort: none", "", "offline"),
    ("worker", "models: {worker: openai/dear}", "models: {worker: openai/cheap}", "openai/cheap"),
    ("ignore", "ignore: ['**']", "ignore: [docs/]", ()),
    ("ignore", "ignore: ['**', docs/]", "ignore: [docs/]", ("docs/",)),
    ("ignore", "ignore: ['shop/*']", "ignore: ['shop/*', '!shop/price.py']", ("shop/*", "!shop/price.py")),
    (
        "ignore",
        "ignore: ['!shop/price.py', 'shop/*']",
        "ignore: ['shop/*', '!shop/price.py']",
        ("shop/*", "!shop/price.py"),
    ),
    ("ignore", "ignore: ['!a', '!b']", "ignore: ['!a']", ()),
    ("consumers", "consumers: [acme/till]", "", ()),
    ("consumers", "", "consumers: [acme/till]", ()),
    ("consumers", "consumers: [acme/till]", "consumers: [acme/web]", ("acme/till", "acme/web")),
    ("rules", "rules: [{path: '**', kind: logic}]", "", ()),
    ("analyzers", "analyzers: [ruff]", "analyzers: [secrets]", ("ruff", "secrets")),
    ("pause_after", "", "pause_after: 3", 3),
    ("linked_issues", "linked_issues: true", "linked_issues: false", False),
    ("language", "language: de", "language: fr", "de"),
    ("quota", "quota: 0", "", 4),
]


@pytest.mark.parametrize(("name", "own", "default", "holds"), STRICTER)
def test_the_stricter_value_holds(name: str, own: str, default: str, holds: object) -> None:
    """Whichever branch has it, and also where the other says nothing."""
    assert getattr(bounded(own, default), name) == holds


PATHS = ("a", "b/x", "b/y", "c/x", "c/d/x")
ENTRIES = ("*", "b/", "!b/x", "c/*", "!c/d", "x", "!x")


@pytest.mark.parametrize("own", [list(each) for each in combinations(ENTRIES, 3)], ids=str)
def test_a_file_is_left_out_only_if_both_branches_leave_it_out(own: list[str]) -> None:
    """In whichever order a list has its exceptions: the last entry that takes a file decides about it."""
    for default in permutations(ENTRIES[1:], 3):
        one, other = ({"ignore": entries} for entries in (own, [*default]))
        both = bounded(json.dumps(one), json.dumps(other))
        alone = [bounded(json.dumps(side), json.dumps(side)) for side in (one, other)]
        for path in PATHS:
            assert not both.ignores(path) or all(globs.matches(side.ignore, path) for side in alone)
            assert not both.ignores(path) or all(globs.matches(entries["ignore"], path) for entries in (one, other))


def test_the_operator_s_switch_for_consumers_is_no_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """`DEEPREPO_CONSUMERS` says whether a server looks at them; the setting of that name says which of them."""
    monkeypatch.setenv("DEEPREPO_CONSUMERS", "owner")
    environment = config.environment(on_server=True)
    assert config.resolve({}, None, environment).consumers == ()
    assert config.resolve({}, b"consumers: [acme/till]", environment, bound=b"quota: 3").consumers == ()


def test_triggers_of_both_branches_hold() -> None:
    """Caps and switches are the lower of both; a list that has to be met is asked of each branch by itself."""
    found = bounded(
        "triggers: {fork_reviews_per_day: 9, forks: true, branches: [v1], skip_labels: [a], events: [push, opened]}",
        "triggers: {fork_reviews_per_day: 3, forks: false, branches: [main], skip_labels: [b], events: [push]}",
    )
    one = found.triggers
    assert (one.fork_reviews_per_day, one.forks, one.skip_labels, one.events) == (3, False, ("a", "b"), ("push",))
    assert [triggers.branches for _, triggers in found.conditions] == [("v1",), ("main",)]


def test_a_default_branch_without_a_file_bounds_by_the_defaults() -> None:
    """A branch with settings of its own cannot go above what holds where nobody has written any."""
    assert bounded("triggers: {fork_reviews_per_day: 999}", "").triggers.fork_reviews_per_day == 50


def test_a_flag_is_stronger_than_both() -> None:
    """Who types it pays for it."""
    found = config.resolve({"usd": 3.0}, b"budget: {usd: 0.5}", Settings(), bound=b"budget: {usd: 0.1}")
    assert (found.usd, found.origins["usd"]) == (3.0, "flag")
