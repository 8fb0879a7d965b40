"""Masking by field type: every text in a value is masked, and nothing but the secret."""

import dataclasses
import sys
import typing
from dataclasses import replace
from typing import Any

import pytest
from doors import shown
from sample_reviews import FINDING, REVIEW

from bot.commands.answering import CheckedAnswer
from bot.commands.conversation.answering import Answer
from bot.secrets import masking
from bot.secrets.masking import NOTE, PLACEHOLDER, Masks
from bot.values import Dependents, PlacedFinding, Reference, Review
from deeprepo.rlm.values import Message, Prompt

SECRET = "tr0ub4dor" + "&3xKq9"
# Fields that are not prose: masking them would lose a location or an identity.
EXACT = {
    "Finding": {"consumer", "path", "category", "rule", "fingerprint"},
    "Basis": {"sources", "cause"},
    "Tracking": {"added"},
    "Evidence": {"commit", "path", "repository", "breaks"},
    "ChangedFile": {"path", "old_path"},
}
IDS = {("PullRequest", name) for name in ("base", "head", "base_tip")}  # fields with object IDs


def reached(*roots: type) -> dict[type, dict[str, Any]]:
    """Return all dataclasses that these can contain, with their fields' types."""
    found: dict[type, dict[str, Any]] = {}
    left = list(roots)
    while left:
        one = left.pop()
        if dataclasses.is_dataclass(one) and one not in found:
            found[one] = typing.get_type_hints(one, vars(sys.modules[one.__module__]))
            left += [part for hint in found[one].values() for part in parts(hint)]
    return found


def parts(hint: Any) -> list[Any]:  # noqa: ANN401 - a type
    """Return the types that make up a type."""
    if typing.get_origin(hint) is typing.Literal:
        return []
    inner = typing.get_args(hint)
    return [part for one in inner for part in parts(one)] if inner else [hint]


KINDS = reached(Review, CheckedAnswer, Answer)
FIELDS = [
    (kind, field)
    for kind in KINDS
    for field in dataclasses.fields(kind)
    if str in parts(KINDS[kind][field.name]) and (kind.__name__, field.name) not in IDS
]


@pytest.mark.parametrize(("kind", "field"), FIELDS, ids=lambda one: getattr(one, "__name__", None) or one.name)
def test_every_text_is_masked_unless_its_field_is_exempt(kind: type, field: "dataclasses.Field[Any]") -> None:
    """The field's name does not matter, so new fields are masked automatically."""
    value = kind.__new__(kind)
    for other in dataclasses.fields(kind):
        object.__setattr__(value, other.name, None)
    text: Any = f"see {SECRET}."
    hint = KINDS[kind][field.name]
    held = ((text, text),) if str(hint).startswith("tuple[tuple") else (text,) if "tuple[" in str(hint) else text
    object.__setattr__(value, field.name, held)
    masked = masking.mask_values(value, {SECRET})
    assert (SECRET in repr(getattr(masked, field.name))) == masking.is_exempt(field)


def test_reference_search_lines_are_masked() -> None:
    """Lines from a search for references are masked like all other fields."""
    line = Reference("a.py:f", "f", "b.py", 3, f"f({SECRET})", "<module>", None, "bound")
    (masked,) = masking.mask_values(Dependents(references=(line,)), {SECRET}).references
    assert SECRET not in masked.text
    assert masked.line == line.line


def test_exempt_fields_contain_only_identifiers() -> None:
    """No field with prose is exempt, and the types in EXACT exempt exactly the listed fields."""
    marked = {kind.__name__: {f.name for f in dataclasses.fields(kind) if masking.is_exempt(f)} for kind in KINDS}
    words = {"title", "why", "consequence", "quote", "note", "notes", "reason", "summary", "body", "text", "trigger",
             "suggestion", "replacement", "evidence", "findings", "still", "fixed", "failure", "overview", "phrase"}  # fmt: skip
    assert {name: fields & words for name, fields in marked.items() if fields & words} == {}
    assert {name: marked[name] for name in EXACT} == EXACT


@pytest.mark.parametrize(
    ("line", "others"),
    [
        ('config.get("password", "tr0ub4dor' + '&3xKq9")', ["the password is checked", "password_hash"]),
        ('password = "tr0ub4dor' + '&3xKq9" if a else "a"', ["a a a", "a"]),
        ('login("production", password="tr0ub4dor' + '&3xKq9")', ["production", "the production server"]),
        ('password = "abc1' + 'def2gh"', ["xabc1def2ghy is a name", "abc1def2gh2 too"]),
    ],
)
def test_only_the_secret_itself_is_masked(line: str, others: list[str]) -> None:
    """Other words on the line, and identifiers that contain the secret, are not masked in other findings."""
    own = replace(FINDING, category="secret", quote=line, path="a.py", evidence=())
    review = replace(
        REVIEW,
        findings=(PlacedFinding(own, "inline"), *(PlacedFinding(replace(FINDING, why=o), "inline") for o in others)),
    )
    safe = shown(review)
    assert [placed.finding.why for placed in safe.findings[1:]] == others
    assert "***" in safe.findings[0].finding.quote


def test_truncated_secret_is_masked() -> None:
    """A secret that was cut in half is masked too."""
    token = "ghp" + "_a8Kd02mNvQ71zXcPrT56yUbLwE93sHjFgRt4"
    assert token[:20] not in masking.mask_values(f"{token[:25]}…", {token})
    assert token[-20:] not in masking.mask_values(f"…{token[-25:]}", {token})


def test_prompt_is_masked_and_can_be_restored() -> None:
    """A secret gets one mask in all messages, can be restored exactly, and is not masked twice."""
    masks = Masks()
    line = "TOKEN = 'ghp" + "_a8Kd02mNvQ71zXcPrT56yUbLwE93sHjFgRt4'"
    prompt = Prompt((Message("system", "s"), Message("user", line), Message("user", f"again {line}")))
    (sent,) = masks.prompts([prompt])
    first, second = (PLACEHOLDER.findall(message.text.removesuffix(NOTE)) for message in sent.messages[1:])
    assert first == second
    assert len(first) == 1
    assert masks.show(sent.messages[1].text.removesuffix(NOTE)) == line
    assert masks.prompts([sent]) == [sent]
    assert "ghp" not in repr(masks)


def test_overlapping_secrets_are_masked_as_one() -> None:
    """No part of either secret remains."""
    assert (
        masking.mask_values("x abcdef1234ghijkl y", {"abcdef1234", "1234ghijkl", "abcdef1234ghijkl"}) == "x abcd*** y"
    )
