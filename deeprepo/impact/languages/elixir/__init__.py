"""Support Elixir, whose files are searched for references only, since no import names a module's file."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import lru_cache

from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.languages.elixir.importers import rows_of
from deeprepo.impact.reading.nodes import ancestors, text
from deeprepo.impact.values import Arguments

MATCHES = ("=", "<-")  # operators after a pattern
# What modules of Elixir and of popular libraries define in modules that use them, unless those define it.
GIVEN = {
    "Agent": "child_spec",
    "Application": "stop",
    "DynamicSupervisor": "child_spec",
    "Ecto.Repo": (
        "aggregate all all_by checked_out? checkout child_spec config default_options delete delete! "
        "delete_all exists? explain get get! get_by get_by! get_dynamic_repo in_transaction? init insert "
        "insert! insert_all insert_or_update insert_or_update! load one one! preload prepare_query "
        "prepare_transaction put_dynamic_repo query query! query_many query_many! reload reload! "
        "rollback start_link stop stream to_sql transact transaction update update! update_all"
    ),
    "GenServer": "child_spec code_change handle_call handle_cast handle_info init terminate",
    "GenStage": ("child_spec code_change handle_call handle_cast handle_info handle_subscribe handle_cancel terminate"),
    "Oban.Worker": "backoff new timeout",
    "Plug.Builder": "call init",
    "Plug.ErrorHandler": "call handle_errors",
    "Plug.Router": "call dispatch init match",
    "Supervisor": "child_spec init",
    "Task": "child_spec",
}
TAKES_PATTERN = ("match?", "assert_receive", "assert_received", "refute_receive", "refute_received")


@lru_cache(maxsize=4)
def _aliases(source: bytes) -> Mapping[str, set[str]]:
    """Return short name -> modules, from aliases and nested modules."""
    found: dict[str, set[str]] = defaultdict(set)
    rows = rows_of(source)
    for module in rows.own:
        if any(module.startswith(f"{one}.") for one in rows.own):
            found[module.rpartition(".")[2]].add(module)
    for statement in rows.under_names:
        for module, here in statement.names:
            found[here].add(module)
    return found


def _operator(node: Node | None) -> str:
    return text(node.child_by_field_name("operator")) if node is not None else ""


class Elixir(Language, frozen=True):
    """Elixir."""

    modules_are_types = True
    module_word = "defmodule"

    def library_names(self, spec: str) -> Collection[str]:
        """Return the functions that `use` of a module defines."""
        return GIVEN.get(spec, "").split()

    def type_name(self, node: Node) -> str:
        """Return the full name of a module, resolving aliases and `__MODULE__`; "" if it is ambiguous."""
        written = text(node)
        if written == "__MODULE__":
            around = (one for one in ancestors(node) if text(one.child_by_field_name("target")) == "defmodule")
            names = [text(name) for one in around for name in one.named_children[1].named_children[:1]]
            return ".".join(reversed(names))
        *_, root = ancestors(node)
        first, dot, rest = written.partition(".")
        known = _aliases(root.text or b"").get(first, {first})
        return f"{next(iter(known))}{dot}{rest}" if len(known) == 1 else ""

    def is_pattern(self, node: Node) -> bool:
        """Return whether a value is a pattern: in a function head, or before `=`, `<-` or `->`."""
        inner = node
        for above in ancestors(node):
            is_left = above.child_by_field_name("left") == inner
            if is_left and (above.type == "stab_clause" or _operator(above) in MATCHES):
                return True
            called = text(above.child_by_field_name("target")) if inner.type == "arguments" else ""
            if called in TAKES_PATTERN or (called[:3] == "def" and inner.named_children[0].end_byte >= node.end_byte):
                return True
            inner = above
        return False

    def passed(self, call: Node) -> Arguments:
        """Return the arguments of a call. A pipe and a block add one each, and `&total/2` states the number."""
        above = call.parent
        outer = above.parent if above is not None else None
        if above is not None and _operator(outer) == "&" and _operator(above) == "/":
            return Arguments(int(text(above.child_by_field_name("right"))))
        parts = [one for child in call.named_children if child.type == "arguments" for one in child.named_children]
        written = [one for one in parts if one.type != "comment"]
        is_piped = above is not None and _operator(above) == "|>" and above.child_by_field_name("right") == call
        has_block = any(one.type == "do_block" for one in call.named_children)
        has_keywords = bool(written) and written[-1].type == "keywords"  # a block joins the keywords
        spread = any("unquote_splicing" in text(one) for one in written)
        return Arguments(len(written) + is_piped + (has_block and not has_keywords), spread=spread)
