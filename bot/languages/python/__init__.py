"""Python: modules and packages wherever they start, `src` layouts included, without any configuration."""

import builtins

from bot.languages import queried
from bot.languages.python.modules import PythonModules
from bot.ports import LanguageTraits

TRAITS = LanguageTraits(unwritten_names=True)
project = PythonModules
AMBIENT = frozenset(dir(builtins)) | {
    "__file__",
    "__path__",
    "__builtins__",
    "reveal_type",
    "unicode",
    "basestring",
    "xrange",
}
outline, uses = queried.outline, queried.uses
