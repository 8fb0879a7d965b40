"""C#: what a file defines, and what an identifier does where it stands."""

from bot.languages import queried
from bot.languages.csharp.namespaces import Namespaces
from bot.ports import LanguageTraits

TRAITS = LanguageTraits(
    capital_members=True,
)
project = Namespaces
outline = queried.outline
uses = queried.uses
AMBIENT = frozenset({
    "Clone", "CompareTo", "Deconstruct", "Dispose", "Equals", "Finalize", "GetEnumerator", "GetHashCode", "GetType", "HasFlag",
    "MemberwiseClone", "PrintMembers", "ReferenceEquals", "ToString",
})  # fmt: skip
