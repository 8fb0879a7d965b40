"""The door through which anything is written out, to a page, a file, a row or a caller: no secret leaves by it.

What the change and its files told to be secret is known to the review (`KnownSecrets`); of a text that comes alone, the text tells.
"""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from bot.checkout.shown import know_secrets
from bot.ports import KnownSecrets
from bot.secrets import detect
from bot.secrets.masking import hide
from bot.values import Finding

Value = TypeVar("Value")


def of_review(
    value: Value, masks: KnownSecrets, names: Iterable[str], findings: Iterable[Finding] = (), *, guesses: bool = False
) -> Value:
    """Return what a review tells as it may leave.

    Of the `names` of files the tokens are masked too. What the `findings` call a secret is masked wherever else it stands. `guesses`: so is
    what only looks like one.
    """
    covered = masks.cover((value, tuple(findings)), guesses=guesses)
    shown, shown_findings = hide.paths(covered, names)
    return hide.mask_findings(shown, shown_findings)


def of_files(value: Value, texts: Mapping[str, str]) -> Value:
    """Return a value without the secrets of the files that it is made of."""
    masks = know_secrets()
    masks.learn_files(texts)
    return masks.cover(value)


def of_log(value: Value, texts: Iterable[str], names: Iterable[str] = ()) -> Value:
    """Return what a log has told, without what these texts of it show to be a secret, or only make look like one.

    Of the `names` of files the tokens are masked too.
    """
    masks = know_secrets()
    for text in texts:
        masks.learn(text)
    return hide.paths(masks.cover(value, guesses=True), names)


def of_run(output: str, masks: KnownSecrets) -> str:
    """Return what a test has printed. What it shows is not learned for the review: a replay prints nothing that could be learned."""
    return masks.cover(hide.mask_values(output, _all(output)), guesses=True)


def of_typed_words(text: str) -> str:
    """Mask whatever looks like a secret in a command that a person typed, before it is stored."""
    return hide.mask_values(text, _all(text))


def of_post(text: str) -> str:
    """Mask tokens of a known form in one of our comments, which may quote other people."""
    return hide.mask_values(text, hide.tokens_of(text))


def _all(text: str) -> set[str]:
    return {value for value, _ in detect.secrets(text)}
