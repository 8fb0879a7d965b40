import re
from dataclasses import replace
from pathlib import Path

import pytest
from commanded import Scene, scene
from fakes import Repository

from bot.commands import Permission
from bot.config import Settings
from bot.findings import silencing
from bot.values import ReviewJob
from bot.workflow.commands import COMMANDS


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """A pull request with a finished review."""
    return scene(Repository(tmp_path_factory.mktemp("commands") / "repository"))


@pytest.fixture
def pull(reviewed: Scene, tmp_path: Path) -> Scene:
    """The reviewed pull request, for one test with its own database. Commands don't change the repository."""
    return replace(reviewed, folder=tmp_path)


def test_help_lists_every_command(pull: Scene) -> None:
    """The help table lists all commands as they are typed."""
    body = pull.give("help").body
    assert re.findall(r"^\| `/deeprepo ([a-z ]+)", body, re.MULTILINE) == [w + " " * (" [" in u or w == "ask") for w, u in ((n, c.usage) for n, c in COMMANDS.items())]  # fmt: skip


def test_unknown_command_gets_the_list_of_commands(pull: Scene) -> None:
    """The reply lists all commands in one line, and shows what was typed without making it active."""
    answer = pull.give("@team`|x")
    assert answer.reaction == "confused"
    assert answer.body.startswith("``@team`|x`` is not a command.")
    assert all(f"`{word}`" in answer.body for word in COMMANDS)
    assert answer.body.count("\n") == 1


def test_pause_and_resume_explain_what_happens_next(pull: Scene) -> None:
    """`pause` and `resume` explain what happens next; a repeated `pause` or `resume` changes nothing."""
    said = [pull.give(word).body for word in ("pause", "pause", "resume", "resume")]
    assert [("/deeprepo resume" in text, "already" in text, "reviewed now" in text) for text in said] == [
        (True, False, False), (True, True, False), (False, False, True), (False, False, False),
    ]  # fmt: skip
    assert {type(ask) for ask in pull.asked} == {ReviewJob}  # of a head without a review


def test_config_shows_each_setting_and_its_origin(pull: Scene) -> None:
    """The table lists settings with their values and origins, and warnings about the file follow."""
    pull.settings = b"quota: 2\nquota: 2\ninstructions: [{path: 'src/**', text: 'say @team | `x`'}]\n"
    body = pull.give("config", standing=Permission("read", 0.0)).body
    assert "| `quota` | `2` | .deeprepo.yml |" in body
    assert "| `triggers.drafts` | `false` | default |" in body
    assert "`` src/**: say @team \\| `x` ``" in body
    assert "> .deeprepo.yml line 2: quota is already set on line 1" in body


@pytest.mark.parametrize("level", ["read", "write"])
def test_config_hides_passwords(pull: Scene, level: str) -> None:
    """The password in a model's address is hidden from people with and without write access."""
    pull.operator = Settings(worker="openai/reader", base_url="http://user:hunter2secret@127.0.0.1:9/v1")
    body = pull.give("config", standing=Permission(level, 0.0)).body
    assert "`models.worker`" in body
    assert "hunter2" not in body


@pytest.mark.parametrize("word", COMMANDS)
def test_commands_that_spend_or_change_need_write_permission(pull: Scene, word: str) -> None:
    """Commands that cost money or change something need write permission, and the reply explains that."""
    answer = pull.give(word, "2 x", Permission("read", 0.0))
    refused = word not in ("config", "help")
    assert (answer.reaction == "-1", "needs write permission" in answer.body and word in answer.body) == (
        refused,
        refused,
    )


@pytest.mark.parametrize(("permission", "most"), [("write", 20), ("read", 3), ("none", 3)])
def test_commands_over_the_limit_get_one_reply(pull: Scene, permission: str, most: int) -> None:
    """The first command above the hourly limit gets a reply; later ones only get a reaction."""
    earlier = (most - 1, most, most + 1)
    given = [pull.give("help", standing=Permission(permission, 60.0, [0.0] * count)) for count in earlier]
    assert [bool(answer.body) for answer in given] == [True, True, False]
    assert [answer.reaction for answer in given] == ["", "-1", "-1"]
    assert f"({most} commands per hour)" in given[1].body
    assert "again in 59 minutes" in given[1].body


def test_ignore_in_a_thread_applies_to_its_finding(pull: Scene) -> None:
    """The dismissal is stored with its reason, and the answer has the entry that ignores the finding everywhere."""
    pull.thread(1)
    finding = pull.review.reported[1].finding
    answer = pull.give("ignore", "measured: nobody calls @it")
    assert [(one.mark, one.reason) for one in pull.silenced()] == [
        (silencing.mark_of(finding), "measured: nobody calls @it")
    ]
    assert answer.body.startswith("Ignored in this pull request only: ")
    assert f"`- finding: {finding.identity}`" in answer.body


def test_ignore_accepts_a_finding_number_or_identity(pull: Scene) -> None:
    """`ignore` accepts a finding's number or identity. Anything else gets a usage hint and is not stored."""
    first, second = (pull.review.reported[n].finding for n in (0, 1))
    answer = pull.give("ignore", "#2")
    pull.give("ignore", f"{first.identity} known")
    silenced = {one.mark: one.reason for one in pull.silenced()}
    assert silenced == {silencing.mark_of(second): "", silencing.mark_of(first): "known"}
    assert answer.silences
    short = pull.review.reported[0].finding.fingerprint  # not an identity: the finding is proven
    for wrong in ("", "9 known", "0", "known", "deadbeefdeadbeef", short):
        reply = pull.give("ignore", wrong)
        assert (
            "`/deeprepo ignore NUMBER REASON`" in reply.body or "The last review has these findings: 1, 2" in reply.body
        )
        assert not reply.silences
    assert len(pull.silenced()) == 2


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"findings": [{}]}', b"\xff"])
def test_unreadable_review_is_not_reported_as_missing(pull: Scene, data: bytes) -> None:
    """The reply gives the reason why the review can't be used."""
    pull.data = data
    assert "The last review cannot be used" in pull.give("ignore", "1").body


def test_explain_shows_the_evidence_without_a_model(pull: Scene) -> None:
    """Without a model, the reply has the finding's text and evidence with links to the reviewed commit."""
    finding = pull.review.reported[0].finding
    body = pull.give("explain", "1").body
    assert finding.quote.strip() in body
    assert all(f"blob/{pull.review.pull.head}/{item.path}#L{item.line}" in body for item in finding.evidence)
    assert "No model is configured" in body
