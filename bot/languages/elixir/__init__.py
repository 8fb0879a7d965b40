"""Elixir: modules called by their names or aliases, functions told apart by how many arguments they take."""

from collections.abc import Collection

from bot.languages import spots, syntax
from bot.languages.elixir.modules import ElixirModules
from bot.languages.elixir.outline import outline_of
from bot.languages.elixir.uses import READING
from bot.languages.unreadable import finds, outlines
from bot.ports import LanguageTraits
from bot.text.filetypes import ELIXIR
from bot.values import Outline, Side, Use

TRAITS = LanguageTraits(unwritten_names=True, module_word="defmodule")
project = ElixirModules
# Kernel and Kernel.SpecialForms, which every module imports.
KERNEL = (
    "abs alias alias! and apply assert binary_part binding bit_size byte_size case ceil cond dbg def defdelegate defexception defguard "
    "defguardp defimpl defmacro defmacrop defmodule defoverridable defp defprotocol defstruct destructure div elem exit floor fn for "
    "function_exported? get_and_update_in get_in hd if import in inspect is_atom is_binary is_bitstring is_boolean is_exception "
    "is_float is_function is_integer is_list is_map is_map_key is_nil is_number is_pid is_port is_reference is_struct is_tuple length "
    "macro_exported? make_ref map_size match? max min node not or pop_in put_elem put_in quote raise receive rem require reraise round "
    "self send sigil_r sigil_s sigil_w spawn spawn_link spawn_monitor struct struct! super tap then throw tl to_charlist to_string try "
    "trunc tuple_size unless unquote unquote_splicing update_in use var! with"
)
AMBIENT = frozenset(KERNEL.split())


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The functions of a file's modules and what other modules can call."""
    return outline_of(path, syntax.shallow_root(ELIXIR, source), source, side)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The names of a file that are spelt like one of the names."""
    del path  # one grammar reads every file
    if not syntax.any_of(frozenset(names)).search(source):
        return ()
    return spots.uses(syntax.shallow_root(ELIXIR, source), source, names, READING)
