"""Python: modules and packages wherever they start, `src` layouts included, without any configuration."""

import builtins

from bot.languages import queried
from bot.languages.python.modules import PythonModules

project = PythonModules
outline, uses = queried.outline, queried.uses
