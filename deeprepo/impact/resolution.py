"""The three answers to "does the tree still provide this name after the change?": found, absent, or unknown with a reason.

A lookup that returns nothing is not an answer. `Absent` is the only value that allows a proven "removed", "moved" or "must be given", and it can only be
made from a search that covered every way in which a name can be provided.
"""

from typing import Literal, get_args

from deeprepo.impact.structs import Struct

# How a file can provide a name to others.
Way = Literal[
    "declaration",  # a definition, a field, an enum member, a property of a constructor
    "inline module",  # `mod name { ... }`, `namespace name { ... }`
    "path attribute",  # `#[path = "..."] mod name;`, `sys.modules["name"] = ...`
    "re-export",  # `pub use x::name`, `export { name } from "x"`, an import in the file that others import
    "glob re-export",  # `pub use x::*`, `export * from "x"`, `Object.assign(exports, ...)`
    "alias",  # `x as name`, `using name = x`, `typealias name = x`
    "base or mixin",  # a base class, a trait, a concern, an embedded or dereferenced type
    "extension",  # an extension method or property, a class that is opened again
    "accessor",  # an annotation, a macro or a compiler makes it: `attr_reader :name`, `delegate`, `@Getter`, `val name`
    "injection",  # a wrapper passes it on
]
WAYS: tuple[Way, ...] = get_args(Way)


class Found(Struct, frozen=True):
    """The line that still provides the name."""

    way: Way
    path: str
    line: int


class Absent(Struct, frozen=True):
    """Nothing provides the name. `checked`: the ways that were looked for, which must be all of them."""

    checked: frozenset[Way]

    def __post_init__(self) -> None:
        """Refuse an answer from a search that left out a way to provide a name."""
        if missing := set(WAYS) - self.checked:
            raise ValueError(f"absence was claimed without looking for: {', '.join(sorted(missing))}")


class Unknown(Struct, frozen=True):
    """Nobody can tell from the code at hand. `reason` completes "this is not certain because ..."."""

    reason: str
    is_by_line: bool = True  # a line that may provide the name is known; otherwise the search was incomplete


Resolution = Found | Absent | Unknown
