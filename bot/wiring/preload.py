"""What the fork server of `child` does before it forks, so that no child has to: what every review needs is loaded and used once.

Children share the memory of it. What garbage collection would write into each object's page is kept apart from theirs.
"""

import ctypes
import gc
from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules, walk_packages

from bot import analyzers, config, findings, registry
from bot import review as reviewing
from bot.errors import ConfigError
from bot.machine import build
from bot.render import templates
from bot.review import context, lenses, strategies
from bot.review.hooks import hooks
from bot.secrets import forms
from bot.wiring import access, tasks
from deeprepo.impact import languages
from deeprepo.impact.families import LANGUAGES
from deeprepo.impact.language import QUERIES
from deeprepo.impact.language import languages as known_languages

__all__ = ["tasks"]

# A review goes through all of these, and would load their modules one by one.
ROOMS = (analyzers, context, findings, reviewing, lenses, strategies)
ARENA_MAX = -8  # of mallopt, as glibc's malloc.h has it
# What a review with a model loads when it is first used, and what libraries do.
LATER = (
    "bot.analyzers.type_checkers.tsc",
    "bot.analyzers.type_checkers.ty",
    "bot.features.ci.values",
    "bot.features.organization.values",
    "bot.features.own_checks.verdicts",
    "bot.review.agent.seed",
    "deeprepo.impact.uses.guards",
    "deeprepo.impact.uses.meant",
    "deeprepo.impact.uses.results",
    "deeprepo.impact.uses.lacking",
    "deeprepo.impact.uses.name_check",
    "deeprepo.impact.uses.providers",
    "deeprepo.rlm.money.schema",
    "configparser",
    "jinja2",
    "pathspec",
    "ruff",
    "unidiff",
)


def _load() -> None:
    rooms = (module.name for room in ROOMS for module in iter_modules(room.__path__, f"{room.__name__}."))
    settings = config.Settings()
    with suppress(ConfigError):  # the server says it
        settings = config.environment()
    of_features = (module for hook in hooks() for module in hook.modules(settings))
    known = (module.name for module in walk_packages(languages.__path__, f"{languages.__name__}."))
    for module in (*rooms, *of_features, *known, *LATER):
        import_module(module)
    with suppress(ModuleNotFoundError):  # it comes with the clients of models, which the base installation lacks
        import_module("anyio._backends._asyncio")
    for model in filter(None, access.named_models(settings)):
        access.load(model)
    for moment in ("section", "finding", "review"):  # at which a review asks its features
        registry.parts(moment)
    forms.known_forms()
    templates.load()
    build.name()
    for language in LANGUAGES.values():  # its grammar comes with the first text
        language.outline(f"empty{language.SUFFIXES[0]}", b"", "head")
        _ = language.receivers
    for parsed in known_languages().values():
        for name in QUERIES:
            for word in parsed.texts(name):
                parsed.query(name, word)


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
gc.set_threshold(150_000, 20, 20)  # for the children: to look through what a review makes each time takes a tenth of it
