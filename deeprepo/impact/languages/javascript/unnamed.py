"""Find references that JavaScript files do not write as names: Svelte stores and lazily loaded default exports."""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from deeprepo.impact.parsing import Lines
from deeprepo.impact.reading.spots import MOST
from deeprepo.impact.values import Import, Use

STORE = re.compile(rb"(?<![\w$.])\$([A-Za-z_]\w{0,100})(?![\w$])")


def stores(source: bytes, names: Collection[str]) -> Iterator[Use]:
    """Yield references to stores in a Svelte component: `$cart` reads and sets the value in `cart`."""
    lines = Lines(source)
    for match in islice(STORE.finditer(source), MOST):
        if (name := match[1].decode("utf-8", "replace")) in names:
            yield Use(name, lines.at(match.start()), "name", at=match.start())


def loaded_defaults(statements: Iterable[Import]) -> Iterator[Use]:
    """Yield calls that load a module's default export without naming it: `lazy(() => import("./Button"))`."""
    for item in statements:
        for bound in item.names:
            if (bound.there, bound.here) == ("default", ""):
                yield Use("default", bound.line, "import", is_guarded=True)
