"""Who may import a file of JavaScript, and which files a package of it offers."""

import posixpath
import re

from bot.languages.modules import KnownModules
from bot.values import Clues
from impact.languages.javascript import Modules

QUOTED_END = r"""(\.[a-z.]+)?(\?[a-z]+)?["'`]"""


class JavaScriptModules(KnownModules[Modules]):
    """The modules of one tree. Satisfies `ports.Project`."""

    RESOLVER = Modules

    def clues(self, path: str) -> Clues:
        """Relative imports end in the file's name below its folder's; others are an alias, a package or one of its exports."""
        folder, name = posixpath.split(path)
        stem, up = re.sub(r"\.d$", "", posixpath.splitext(name)[0]), posixpath.basename(folder)
        specs = self.modules.specs(path)
        words = {stem, up} - {""} if stem == "index" else {stem}
        whole = [up] if stem == "index" and up else [] if up else [stem]
        far = [rf"""["'`/#]({re.escape(word)}){QUOTED_END}""" for word in whole]
        if specs:
            far.append(rf"""["'`]({"|".join(re.escape(spec) for spec in sorted(specs))}){QUOTED_END}""")
        if up:
            far.append(rf"({re.escape(up)}|src|\#[\w/]*)/{re.escape(stem)}{QUOTED_END}")
        near = (rf"""["'`]\.[./]*({"|".join(re.escape(word) for word in sorted(words))})?{QUOTED_END}""",)
        words |= {posixpath.basename(spec) for spec in specs} - {""}
        return Clues(frozenset(words), tuple(far), near, posixpath.dirname(folder) if stem == "index" else folder)
