"""What the fork server of `child` does before it forks, so that no child has to: what every review needs is loaded and used once.

Children share the memory of it. What garbage collection would write into each object's page is kept apart from theirs.
"""

import ctypes
import gc
from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules

from bot import analyzers, config, context, findings, models, strategies
from bot import review as reviewing
from bot.errors import ConfigError
from bot.languages import LANGUAGES
from bot.masking import forms
from bot.render import templates
from bot.review import lenses
from bot.wiring import review, tasks
from impact.language import languages as known_languages

__all__ = ["tasks"]

# A review goes through all of these, and would load their modules one by one.
ROOMS = (analyzers, context, findings, reviewing, lenses, strategies)
ARENA_MAX = -8  # of mallopt, as glibc's malloc.h has it
# What a review with a model loads when it is first used, and what libraries do.
LATER = ("bot.agent.seed", "bot.llm.schema", "jinja2", "pathspec", "ruff", "unidiff")


def _likely() -> tuple[str, ...]:
    """The models that the environment names, else those that a key is there for."""
    try:
        settings = config.environment()
    except ConfigError:  # the server says it
        return ()
    return tuple(filter(None, (settings.worker, settings.root))) or tuple(filter(None, review.preferred_models()))


def _runs() -> bool:
    """Whether the operator allows tests to be run: nothing of that is loaded otherwise."""
    try:
        return bool(config.environment().run)
    except ConfigError:  # the server says it
        return False


def _load() -> None:
    rooms = (module.name for room in ROOMS for module in iter_modules(room.__path__, f"{room.__name__}."))
    running = ("bot.run.reproduce",) if _runs() else ()
    for module in (*rooms, *running, *LATER):
        import_module(module)
    with suppress(ModuleNotFoundError):  # it comes with the clients of models, which the base installation lacks
        import_module("anyio._backends._asyncio")
    for model in _likely():
        models.load(model)
    forms.load()
    templates.load()
    for language in LANGUAGES.values():  # its grammar comes with the first text
        language.outline(f"empty{language.SUFFIXES[0]}", b"", "head")
    for parsed in known_languages().values():
        _ = parsed.queries


def _trim() -> None:
    """Keep the threads of children to one heap, and give back what loading has freed: glibc holds on to both."""
    library = ctypes.CDLL(None)
    with suppress(AttributeError):  # another C library has neither
        library.mallopt(ARENA_MAX, 1)
        library.malloc_trim(0)


_load()
gc.collect()
_trim()
gc.freeze()
