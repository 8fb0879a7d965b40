"""C#: what a file defines, and what an identifier does where it stands."""

from bot.languages import queried
from bot.languages.namespaces import KnownNamespaces
from impact.languages.csharp import Modules

outline = queried.outline
uses = queried.uses


class CSharpNamespaces(KnownNamespaces[Modules]):
    """The namespaces of one tree. Satisfies `ports.Project`, `ports.SharedScope` and `ports.SelfDescribed`."""

    RESOLVER = Modules


project = CSharpNamespaces
