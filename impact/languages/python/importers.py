"""Who may import a file of Python."""

import posixpath
import re

from impact.importers import KnownModules
from impact.languages.python import Modules
from impact.values import Clues


class PythonModules(KnownModules[Modules]):
    """The modules of one tree. Satisfies `ports.Project`."""

    RESOLVER = Modules

    def clues(self, path: str) -> Clues:
        """The parent package is in the pattern: words such as `utils` alone hit half of a large tree."""
        folder, name = posixpath.split(path)
        package = name.rpartition(".")[0] == "__init__"
        module = folder if package else path.rpartition(".")[0]
        up, word = posixpath.split(module)
        parent, last = re.escape(posixpath.basename(up)), re.escape(word)
        if not last:
            return Clues(frozenset())
        far = []
        if parent:
            far.append(rf"\b{parent}(\.{last}\b|\s+import\b.*(\b{last}\b|[(\\]))")
        if not parent or f"{up}/__init__.py" not in self.paths:  # it may be imported by its bare name
            far.append(rf"\b((from|import)\s+([\w., ]*,\s*)?|import_module\(.){last}\b")
        if path in self.modules.settings:
            return Clues(frozenset({word, "settings"}), (*far, r"\bdjango\.conf\s+import\b.*\bsettings\b"))
        near = (rf"from\s+\.+(\s*import|{last}\b)",)
        return Clues(frozenset({word}), tuple(far), near, posixpath.dirname(folder) if package else folder)


project = PythonModules
