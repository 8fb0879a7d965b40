"""Replace one review's secrets by placeholders in all prompts, and restore them in replies.

A placeholder is a word, and a secret has the same placeholder in every prompt. If a model quotes a line with
a placeholder, the secret is restored in its reply, so that the quote is found in the tree. Restored text is
masked again before any output.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from bot.secrets.detect import secrets
from bot.secrets.masking.hide import distinctive_parts, map_texts, mask_values, replaced, texts
from bot.values import ChangedFile
from deeprepo.rlm.values import Completion, Message, Prompt

PLACEHOLDER = re.compile(r"MASKED_SECRET_[0-9a-f]{5}(?:_\d+)?")
LINES = re.compile(r"[\d:,-]*+")  # after a path
DIGITS = 5  # hexadecimal digits in a placeholder; too few to verify a guess of the secret
NOTE = (
    "\n\n[A word such as MASKED_SECRET_0a1b2 stands for a secret of the repository. "
    "Quote such lines as they are shown here, and write no placeholder into code.]"
)

Value = TypeVar("Value")


class Masks:
    """The secrets that one review has found."""

    def __init__(self) -> None:
        self._placeholders: dict[str, str] = {}
        self._secrets: dict[str, str] = {}
        self._values: dict[str, bool] = {}  # each secret, and whether it is certain
        self._paths: tuple[Collection[str], ...] = ()

    def __repr__(self) -> str:
        """Return the number of secrets, without any of them."""
        return f"Masks({len(self._values)})"

    def exclude_paths(self, *sides: Collection[str]) -> None:
        """Never treat these paths as secrets, so that `api_key: src/oauth2/api_key.rs:85` stays readable."""
        self._paths = sides

    def learn(self, text: str, path: str = "") -> None:
        """Add the secrets in a text."""
        for value, sure in secrets(text, path):
            if not self._is_place(value):
                self._values[value] = self._values.get(value, False) or sure

    def _is_place(self, value: str) -> bool:
        """Return whether a value is a known path, with or without line numbers.

        `deploy:PASSWORD` is not, even if there is a file called `deploy`.
        """
        path, _, lines = value.partition(":")
        return LINES.fullmatch(lines) is not None and any(path in side for side in self._paths)

    def learn_values(self, values: Iterable[str]) -> None:
        """Add values that are known to be secrets."""
        self._values |= dict.fromkeys(values, True)

    def learn_change(self, files: Iterable[ChangedFile]) -> None:
        """Add the secrets on both sides of a change."""
        for file in files:
            if file.skip:
                continue
            rows = [line for hunk in file.hunks for line in hunk.lines]
            for kinds in (" +", " -"):
                self.learn("\n".join(line.text for line in rows if line.kind in kinds), file.path)

    def learn_files(self, *sides: Mapping[str, str]) -> None:
        """Add the secrets in whole files, because an excerpt may not show what marks a value as secret."""
        for texts_of_side in sides:
            for path, text in texts_of_side.items():
                self.learn(text, path)

    def hide(self, value: Value) -> Value:
        """Return the value with each secret in its texts replaced by a placeholder."""
        for text in texts(value):
            self.learn(text)
        return self._hide(value)

    def hide_known(self, text: str) -> str:
        """Return the text with each known secret replaced by a placeholder."""
        return self._text(text) if self._values else text

    def distinctive_parts(self) -> frozenset[str]:
        """Return parts of the known secrets. A text that contains none of them is never masked."""
        return frozenset(part for secret in self._values for part in distinctive_parts(secret))

    def prompts(self, prompts: Iterable[Prompt]) -> list[Prompt]:
        """Return the prompts with placeholders.

        First, all of them are searched, because a secret that is found in one may also occur in another.
        """
        requests = list(prompts)
        for one in requests:
            for message in one.messages:
                self.learn(message.text)
                for call in message.calls:
                    for text in texts([call.unparsed_arguments, dict(call.arguments)]):
                        self.learn(text)
        # A prompt may contain a placeholder from a record, whose secret is unknown.
        return [replace(request, messages=tuple(map(self._message, request.messages))) for request in requests]

    def reply(self, reply: Completion) -> Completion:
        """Return a model's reply with the secrets restored."""
        return replace(reply, text=self.show(reply.text), data=self.show(reply.data)) if self._secrets else reply

    def show(self, value: Value) -> Value:
        """Return the value with each placeholder replaced by its secret."""
        real: Value = map_texts(value, lambda text: PLACEHOLDER.sub(lambda at: self._secrets.get(at[0], at[0]), text))
        return real

    def cover(self, value: Value, *, guesses: bool = False) -> Value:
        """Return the value for output, with each secret cut to its first characters.

        With `guesses`, values that are not certain to be secrets are also masked.
        """
        return mask_values(value, {text for text, sure in self._values.items() if sure or guesses})

    def _message(self, message: Message) -> Message:
        text = self._text(message.text)
        calls = tuple(
            replace(
                call, arguments=self._hide(dict(call.arguments)), unparsed_arguments=self._text(call.unparsed_arguments)
            )
            for call in message.calls
        )
        has_note = message.role in {"user", "tool"} and PLACEHOLDER.search(text) and not text.endswith(NOTE)
        return replace(message, text=text + NOTE if has_note else text, calls=calls)

    def _hide(self, value: Value) -> Value:
        return map_texts(value, self._text) if self._values else value

    def _text(self, text: str) -> str:
        return replaced(text, self._values, self._placeholder)

    def _placeholder(self, secret: str) -> str:
        if secret not in self._placeholders:
            name, further = (first := f"MASKED_SECRET_{digest(secret)}"), 1
            while name in self._secrets:
                further += 1
                name = f"{first}_{further}"
            self._placeholders[secret], self._secrets[name] = name, secret
        return self._placeholders[secret]


def digest(secret: str) -> str:
    """Return the digits of a placeholder, which are too few to identify the secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
