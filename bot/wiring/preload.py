"""Load and use in the fork server of `child` what every review needs, so that children need not.

Children share its memory. Garbage collection is kept from writing into shared pages.
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
from deeprepo.impact import languages, resolving
from deeprepo.impact.filetypes import filetypes

__all__ = ["tasks"]

# Packages of which a review loads all modules.
ROOMS = (analyzers, context, findings, reviewing, lenses, strategies)
ARENA_MAX = -8  # of mallopt, from glibc's malloc.h
# What a review with a model loads on first use.
LATER = (
    "bot.analyzers.type_checkers.tsc",
    "bot.analyzers.type_checkers.ty",
    "bot.features.ci.values",
    "bot.features.organization.values",
    "bot.features.own_checks.verdicts",
    "bot.review.agent.seed",
    "deeprepo.impact.uses.former_meaning",
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
    with suppress(ConfigError):  # the server reports it
        settings = config.environment()
    of_features = (module for hook in hooks() for module in hook.modules(settings))
    known = (module.name for module in walk_packages(languages.__path__, f"{languages.__name__}."))
    for module in (*rooms, *of_features, *known, *LATER):
        import_module(module)
    with suppress(ModuleNotFoundError):  # installed with the model clients, not in the base installation
        import_module("anyio._backends._asyncio")
    for model in filter(None, access.named_models(settings)):
        access.load(model)
    for moment in ("section", "finding", "review"):  # the hooks of features that a review calls
        registry.parts(moment)
    forms.known_forms()
    templates.load()
    build.name()
    for path in (f"empty{suffix}" for one in filetypes() if one.is_parsed for suffix in one.suffixes):
        resolving.outline(path, b"", "head")  # loads the grammar
        resolving.uses(path, b"a", {"a"})  # compiles the queries for references


def _trim() -> None:
    """Limit children's threads to one heap, and return freed memory, both of which glibc would keep."""
    library = ctypes.CDLL(None)
    with suppress(AttributeError):  # other C libraries lack both
        library.mallopt(ARENA_MAX, 1)
        library.malloc_trim(0)


_load()
gc.collect()
_trim()
gc.freeze()
# For children, because collecting what a review allocates would otherwise take a tenth of its time.
gc.set_threshold(150_000, 20, 20)
