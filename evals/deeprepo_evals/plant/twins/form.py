"""A result is no longer brought into one form (lower case, no blanks, sorted, not negative); an unchanged caller relies on it.

The form is one that can be brought about twice: a caller that does so itself gets the same before and after the change.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.syntax import text
from deeprepo_evals.plant.grammar import GO, JAVASCRIPT, PYTHON, own
from deeprepo_evals.plant.mutations import Site, Spot
from deeprepo_evals.plant.twins.pair import Proposal, User, callers, outer

MECHANISM = "a result is no longer brought into one form"
METHODS = {  # what ends a chain and can be said twice
    PYTHON.name: {"lower", "upper", "casefold", "strip", "rstrip", "lstrip"},
    JAVASCRIPT.name: {"toLowerCase", "toUpperCase", "trim", "trimEnd", "trimStart"},
    GO.name: set[str](),
}
WRAPPERS = {
    PYTHON.name: {"sorted", "abs"},
    JAVASCRIPT.name: {"Math.abs"},
    GO.name: {"strings.ToLower", "strings.ToUpper", "strings.TrimSpace", "filepath.Clean", "path.Clean"},
}


def propose(site: Site) -> Iterator[Proposal]:
    """Every function whose only answer is brought into a form, and whose callers are in other files."""
    rows = [n.named_children[0] for n in own(site.node, site.kind) if n.type == "return_statement" and n.named_children]
    if len(rows) != 1:
        return
    value = rows[0].named_children[0] if rows[0].type == "expression_list" else rows[0]
    found = _form(value, site.kind.name)
    calls = callers(site) if found is not None else None
    if found is None or calls is None:
        return
    inner, before, after = found
    users = tuple(
        User(
            Spot(path, call.start_byte), site.at(path).replace(outer(call), f"{before}{_held_call(outer(call))}{after}")
        )
        for path, call in calls
        if site.kind is not GO or _imports(site.scene.files[path], before)
    )
    if len(users) != len(calls):
        return
    said = f"{before}...{after}"
    yield Proposal(
        MECHANISM,
        f"{site.name}: hand over what is there",
        f"Who wants another form can bring it about; {site.name} does not decide that any more.",
        site.replace(value, inner),
        Spot(site.path, value.start_byte),
        users,
        f"{site.name}() no longer applies `{said}` to what it returns, which an unchanged caller relies on",
        "what the caller compares, stores or shows is no longer in that form",
        f"every caller applies `{said}` itself",
    )


def _form(value: Node, family: str) -> tuple[str, str, str] | None:
    """What is inside, and what stands before and after it."""
    callee = value.child_by_field_name("function")
    given = value.child_by_field_name("arguments")
    if callee is None or given is None:
        return None
    if text(callee) in WRAPPERS[family] and given.named_child_count == 1:
        return text(given.named_children[0]), f"{text(callee)}(", ")"
    owner, _, method = text(callee).rpartition(".")
    if method in METHODS[family] and owner and not given.named_child_count:
        return owner, "", f".{method}()"
    return None


def _held_call(call: Node) -> str:
    """The call so that something can be asked of it."""
    return f"({text(call)})" if call.type in {"await", "await_expression"} else text(call)


def _imports(source: bytes, before: str) -> bool:
    """Whether a file of Go already imports the package of a function."""
    package = before.partition(".")[0]
    return bool(re.search(rb'"(?:[\w/]+/)?%b"' % package.encode(), source))
