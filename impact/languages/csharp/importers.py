"""Who may use a file of C#."""

from impact.importers_by_namespace import KnownNamespaces
from impact.languages.csharp import Modules


class CSharpNamespaces(KnownNamespaces[Modules]):
    """The namespaces of one tree. Satisfies `ports.Project`, `ports.SharedScope` and `ports.SelfDescribed`."""

    RESOLVER = Modules


project = CSharpNamespaces
