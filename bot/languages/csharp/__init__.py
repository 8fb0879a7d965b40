"""C#: what a file defines, and what an identifier does where it stands."""

from bot.languages import queried
from bot.languages.namespaces import KnownNamespaces
from bot.ports import LanguageTraits
from impact.languages.csharp import Modules

TRAITS = LanguageTraits(
    capital_members=True,
)
outline = queried.outline
uses = queried.uses
AMBIENT = frozenset({
    "Clone", "CompareTo", "Deconstruct", "Dispose", "Equals", "Finalize", "GetEnumerator", "GetHashCode", "GetType", "HasFlag",
    "MemberwiseClone", "PrintMembers", "ReferenceEquals", "ToString",
})  # fmt: skip


class CSharpNamespaces(KnownNamespaces[Modules]):
    """The namespaces of one tree. Satisfies `ports.Project`, `ports.SharedScope` and `ports.SelfDescribed`."""

    RESOLVER = Modules


project = CSharpNamespaces
