"""Remember how a server wants to be asked, for the later runs of this process and, if there is a store, for those of later processes.

Only the form of a request is stored: no prompt, no reply, no key, and the address as a part of a hash.
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
    """A place for small files that outlives the process."""

    def get(self, name: str) -> bytes | None:
        """Return the content stored under a name, or None."""

    def put(self, name: str, data: bytes) -> None:
        """Store content under a name. It must not raise if nothing can be written."""


class Known:
    """What was learnt about a model behind an address."""

    store: ClassVar[Store | None] = None  # of this process

    def __init__(self, form: "RequestForm", name: str) -> None:
        self.form = form
        self.accepted: set[tuple[str, object]] = set()  # features of forms that the server has accepted
        self.refused_forms: set[tuple[RequestForm, bool, bool]] = set()
        self.doubted = deque[dict[str, Any]]()  # fields that may have been left out for nothing
        # Tokens of the largest prompt that was taken; guesses since then that one was too large.
        self.largest = self.size_guesses = 0
        self.density = 1.0  # tokens of a prompt, as the server counts them, for each that was estimated
        self.counted = self.guessed = 0.0  # tokens of whole replies: as the server counted them, and as estimated
        self._default, self._name = form, name
        self._load()
        self._stored = self._differences()

    def save(self) -> None:
        """Store how the form differs from the default, if that has changed."""
        differences = self._differences()
        if self.store is not None and differences != self._stored:
            self.store.put(self._name, json.dumps({**differences, "time": time.time()}).encode())
            self._stored = differences

    def _differences(self) -> dict[str, Any]:
        changes = {name: value for name, value in asdict(self.form).items() if value != getattr(self._default, name)}
        return {"changes": changes, "doubted": list(self.doubted)}

    def _load(self) -> None:
        """Take the stored form, unless it is too old, damaged, or from a build whose forms have other fields."""
        data = self.store.get(self._name) if self.store is not None else None
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            facts = json.loads(data or b"{}")
            if 0 <= time.time() - facts["time"] < FRESH_SECONDS:
                self.form, self.doubted = replace(self.form, **facts["changes"]), deque(facts["doubted"])


_KNOWN: dict[str, Known] = {}


def of(model: str, url: str, form: "RequestForm") -> Known:
    """Return what is known about a model behind an address. `form` is the one to begin with."""
    name = hashlib.sha256(json.dumps(["request form", model, url]).encode()).hexdigest()
    if name not in _KNOWN:
        _KNOWN[name] = Known(form, name)
    return _KNOWN[name]
