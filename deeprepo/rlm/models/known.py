"""Remember which form of a request each server accepts, in this process and, with a store, for later ones.

Only the form is stored. Prompts, replies and keys are not, and the address is only part of a hash.
"""

import hashlib
import json
import time
from collections import deque
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from deeprepo.rlm.models.forms import RequestForm

FRESH_SECONDS = 7 * 86_400.0  # after this time a stored form is ignored, because servers are updated


class Store(Protocol):
    """Persistent storage for small files."""

    def get(self, name: str) -> bytes | None:
        """Return the content stored under a name, or None."""

    def put(self, name: str, data: bytes) -> None:
        """Store content under a name. Must not raise if nothing can be written."""


class Known:
    """What is known about a model at an address."""

    store: ClassVar[Store | None] = None  # set once per process

    def __init__(self, form: "RequestForm", name: str) -> None:
        self.form = form
        self.accepted: set[tuple[str, object]] = set()  # features of forms that the server has accepted
        self.refused_forms: set[tuple[RequestForm, bool, bool]] = set()
        self.doubted = deque[dict[str, Any]]()  # fields that may have been left out needlessly
        # Tokens of the largest accepted prompt; how often since then an error was assumed to be about the length.
        self.largest = self.size_guesses = 0
        self.density = 1.0  # a prompt's tokens according to the server, divided by our estimate
        self.counted = self.guessed = 0.0  # tokens of complete replies according to the server, and our estimate
        self._default, self._name = form, name
        self._load()
        self._stored = self._differences()

    def save(self) -> None:
        """Store the form's differences from the default, if they have changed."""
        differences = self._differences()
        if self.store is not None and differences != self._stored:
            self.store.put(self._name, json.dumps({**differences, "time": time.time()}).encode())
            self._stored = differences

    def _differences(self) -> dict[str, Any]:
        changes = {name: value for name, value in asdict(self.form).items() if value != getattr(self._default, name)}
        return {"changes": changes, "doubted": list(self.doubted)}

    def _load(self) -> None:
        """Load the stored form, unless it is too old, damaged, or from a build with other fields."""
        data = self.store.get(self._name) if self.store is not None else None
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            facts = json.loads(data or b"{}")
            if 0 <= time.time() - facts["time"] < FRESH_SECONDS:
                self.form, self.doubted = replace(self.form, **facts["changes"]), deque(facts["doubted"])


_KNOWN: dict[str, Known] = {}


def of(model: str, url: str, form: "RequestForm") -> Known:
    """Return what is known about a model at an address. `form` is the default form."""
    name = hashlib.sha256(json.dumps(["request form", model, url]).encode()).hexdigest()
    if name not in _KNOWN:
        _KNOWN[name] = Known(form, name)
    return _KNOWN[name]
