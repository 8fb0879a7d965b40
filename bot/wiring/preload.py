"""Preload what reviews need in the fork server of `child`, so that children start fast and share memory.

The loaded objects are excluded from garbage collection, which would write into the shared memory pages.
"""

import ctypes
import gc
from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules, walk_packages

from bot import analyzers, config, findings
from bot import review as reviewing
from bot.analyzers import checks
from bot.errors import ConfigError
from bot.machine import build
from bot.render import templates
from bot.review import context, strategies
from bot.secrets import patterns
from bot.wiring import access, tasks
from deeprepo.impact import languages, resolving
from deeprepo.impact.filetypes import filetypes

__all__ = ["tasks"]

# Packages whose modules are all loaded by a review.
PRELOADED_PACKAGES = (analyzers, checks, context, findings, reviewing, strategies)
ARENA_MAX = -8  # the option M_ARENA_MAX of mallopt, from glibc's malloc.h
# Modules that reviews would otherwise import when they first need them.
LAZY_MODULES = (
    "bot.review.agent.seed",
    "deeprepo.impact.uses.gone",
    "deeprepo.rlm.money.schema",
    "configparser",
    "jinja2",
    "pathspec",
    "ruff",
    "unidiff",
)


def _load() -> None:
    """Import the modules, and use what loads data on first use."""
    of_packages = (
        module.name
        for package in PRELOADED_PACKAGES
        for module in iter_modules(package.__path__, f"{package.__name__}.")
    )
    settings = config.Settings()
    with suppress(ConfigError):  # the server reports the error
        settings = config.environment()
    of_tests = ("bot.review.reproduction.reproduce",) if settings.run else ()
    of_languages = (module.name for module in walk_packages(languages.__path__, f"{languages.__name__}."))
    for module in (*of_packages, *of_tests, *of_languages, *LAZY_MODULES):
        import_module(module)
    with suppress(ModuleNotFoundError):  # only installed with the model clients
        import_module("anyio._backends._asyncio")
    for model in filter(None, access.named_models(settings)):
        access.load(model)
    patterns.known_forms()
    templates.compile_comments()
    build.name()
    for path in (f"empty{suffix}" for one in filetypes() if one.is_parsed for suffix in one.suffixes):
        resolving.outline(path, b"", "head")  # loads the grammar
        resolving.uses(path, b"a", {"a"})  # compiles the queries for references


def _trim() -> None:
    """Make glibc use one heap for all threads of children, and return freed memory to the system."""
    library = ctypes.CDLL(None)
    with suppress(AttributeError):  # other C libraries don't have these functions
        library.mallopt(ARENA_MAX, 1)
        library.malloc_trim(0)


_load()
gc.collect()
_trim()
gc.freeze()
# In children, garbage collection would otherwise take a tenth of a review's time.
gc.set_threshold(150_000, 20, 20)
