"""Remove secrets from everything that is written to a page, a file, a row or a caller.

A review knows the secrets in the change and its files (`KnownSecrets`). For other texts, secrets are
recognized in the text itself.
"""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from bot.checkout.views import create_known_secrets
from bot.ports import KnownSecrets
from bot.secrets import detect, masking
from bot.values import Finding

Value = TypeVar("Value")


def of_review(
    value: Value, masks: KnownSecrets, names: Iterable[str], findings: Iterable[Finding] = (), *, guesses: bool = False
) -> Value:
    """Return a review's output without secrets.

    Tokens in file `names` are masked, and so is every occurrence of a secret reported in `findings`.
    `guesses`: also mask what only looks like a secret.
    """
    covered = masks.cover((value, tuple(findings)), guesses=guesses)
    shown, shown_findings = masking.paths(covered, names)
    return masking.mask_findings(shown, shown_findings)


def of_files(value: Value, texts: Mapping[str, str]) -> Value:
    """Return a value without the secrets in the files that it is made from."""
    masks = create_known_secrets()
    masks.learn_files(texts)
    return masks.cover(value)


def of_run(output: str, masks: KnownSecrets) -> str:
    """Return a test's output without secrets.

    They are not added to the review's known secrets, because a resumed review may take the output from its
    journal.
    """
    return masks.cover(masking.mask_values(output, _all(output)), guesses=True)


def of_typed_words(text: str) -> str:
    """Mask whatever looks like a secret in a command that a person typed, before it is stored."""
    return masking.mask_values(text, _all(text))


def of_post(text: str) -> str:
    """Mask tokens of a known form in one of our comments, which may quote other people."""
    return masking.mask_values(text, masking.tokens_of(text))


def _all(text: str) -> set[str]:
    return {value for value, _ in detect.secrets(text)}
