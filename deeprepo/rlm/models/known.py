"""Remember which form of a request each server accepts, in this process."""

from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deeprepo.rlm.models.forms import RequestForm


class Known:
    """What is known about a model at an address."""

    def __init__(self, form: "RequestForm") -> None:
        self.form = form
        self.accepted: set[tuple[str, object]] = set()  # features of forms that the server has accepted
        self.refused_forms: set[tuple[RequestForm, bool, bool]] = set()
        self.doubted = deque[dict[str, Any]]()  # fields that may have been left out needlessly
        # Tokens of the largest accepted prompt; how often since then an error was assumed to be about the length.
        self.largest = self.size_guesses = 0
        self.density = 1.0  # a prompt's tokens according to the server, divided by our estimate
        self.counted = self.guessed = 0.0  # tokens of complete replies according to the server, and our estimate


_KNOWN: dict[tuple[str, str], Known] = {}


def of(model: str, url: str, form: "RequestForm") -> Known:
    """Return what is known about a model at an address. `form` is the default form."""
    return _KNOWN.setdefault((model, url), Known(form))
