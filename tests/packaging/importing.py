"""Import every module of some packages, and print the failed ones with the missing package.

Run as a program with a JSON argument: `{"packages": [...], "allowed": [...], "then": {name: the same}}`.
`allowed` lists packages that may also be imported. Each installation in `then` continues in a fork, so that
shared modules are imported only once.
"""

import importlib
import json
import os
import pkgutil
import sys
from typing import Any

ALEMBIC_S = "bot.storage.migrations.env"  # alembic runs it in its own context


def imported(packages: list[str]) -> dict[str, str]:
    """Return the modules that failed, with the missing name. Any other exception ends the process."""
    refused: dict[str, str] = {}

    def attempt(name: str) -> None:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            refused[name] = error.name or ""

    for package in packages:
        attempt(package)
        if package in sys.modules:
            known = pkgutil.walk_packages(sys.modules[package].__path__, f"{package}.", onerror=lambda _: None)
            for name in (module.name for module in known if module.name != ALEMBIC_S):
                attempt(name)
    return refused


def visit(name: str, installation: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return the failed modules of an installation and of those that continue from it in forks."""
    for finder in sys.meta_path:
        if hasattr(finder, "missing"):
            finder.missing -= set(installation["allowed"])
    found = {name: imported(installation["packages"])}
    for larger in installation["then"].items():
        found |= forked(*larger)
    return found


def forked(name: str, installation: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Visit an installation in a forked process, so that the next one starts without its modules."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with os.fdopen(writing, "w") as pipe:
            json.dump(visit(name, installation), pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        found = pipe.read()
    if os.waitpid(child, 0)[1]:
        sys.exit(f"{name}: a module failed, see above")
    return json.loads(found)


if __name__ == "__main__":
    json.dump(visit("base", json.loads(sys.argv[1])), sys.stdout)
