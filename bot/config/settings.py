"""Read the environment: the settings that apply to every command, and what git and pre-commit tell a hook."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, ValidationError
from pydantic.dataclasses import dataclass

from bot.config import yaml_text
from bot.config.defaults import FORM, Dollars, Seconds
from bot.errors import ConfigError
from bot.levels import ReviewEffort

PREFIX = "DEEPREPO_"

# The default spending limits on a server, where the operator pays for reviews without watching them.
SERVER_CAPS = {
    "cap_usd": 5.0,
    "cap_usd_per_day": 100.0,
    "cap_usd_per_day_installation": 50.0,
    "cap_usd_per_day_repository": 25.0,
}
BASE_URL = "DEEPREPO_BASE_URL"


@dataclass(frozen=True, kw_only=True, config=FORM)
class Settings:
    """The settings in environment variables: DEEPREPO_ROOT, DEEPREPO_WORKER, DEEPREPO_BASE_URL and so on."""

    root: str | None = Field(default=None, description="As `models.root`.")
    worker: str | None = Field(default=None, description="As `models.worker`.")
    models: str | None = Field(
        default=None,
        description="The models that a repository's file may choose, separated by commas; `*` matches any text. Default: only "
        "`DEEPREPO_ROOT` and `DEEPREPO_WORKER`, if one of them is set.",
    )
    base_url: str | None = Field(
        default=None,
        description="The address of an OpenAI- or Anthropic-compatible endpoint, for the provider of "
        "`DEEPREPO_ROOT` and `DEEPREPO_WORKER`. For another provider, set `DEEPREPO_BASE_URL_<PROVIDER>`.",
    )
    prices: str | None = Field(
        default=None,
        description="Prices: `provider/model=INPUT/OUTPUT` in dollars per million tokens, separated by commas.",
    )
    effort: ReviewEffort | None = Field(default=None, description="As `effort` (files can only lower it).")
    usd: Dollars | None = Field(default=None, description="As `budget.usd` (files can only lower it).")
    seconds: Seconds | None = Field(default=None, description="As `budget.seconds` (files can only lower it).")
    cap_usd: Dollars | None = Field(
        default=None,
        description=f"The operator's spending limit for one review, which no option or file can exceed. Default on a server and in "
        f"the Action: ${SERVER_CAPS['cap_usd']:g}.",
    )
    cap_usd_per_day: Dollars | None = Field(
        default=None,
        description="The server's spending limit for 24 hours, in dollars. Default on a server: "
        f"${SERVER_CAPS['cap_usd_per_day']:g}.",
    )
    cap_usd_per_day_installation: Dollars | None = Field(
        default=None,
        description=f"The 24-hour spending limit of one installation. Default on a server: "
        f"${SERVER_CAPS['cap_usd_per_day_installation']:g}.",
    )
    cap_usd_per_day_repository: Dollars | None = Field(
        default=None,
        description="The 24-hour spending limit of one repository. Default on a server: "
        f"${SERVER_CAPS['cap_usd_per_day_repository']:g}.",
    )
    cache: str | None = Field(
        default=None,
        description="The folder that caches parsed files and results of type checkers (at most 512 MB); `off` turns caching off. "
        "Default: `~/.cache/deeprepo/facts`; on a server, `facts` in the data folder; in the Action, no cache.",
    )
    journal: str | None = Field(
        default=None,
        description="The file in which `deeprepo review` records its calls, or a folder for one file per change.",
    )
    run: bool | None = Field(
        default=None,
        description="Whether to run tests in a container for repositories that have a `run` section in `.deeprepo.yml`.",
    )
    run_network: bool | None = Field(default=None, description="Whether `run.prepare` may use the network.")
    run_forks: bool | None = Field(
        default=None, description="Whether a server and the Action also run tests for pull requests from forks."
    )
    run_cache: str | None = Field(
        default=None,
        description="The cache folder for the dependencies that `run.prepare` installs (at most 8 GB). Default: "
        "`~/.cache/deeprepo/run`.",
    )
    organization: str | None = Field(
        default=None,
        description="A clone of your organization's `.deeprepo` repository. Its HEAD contains the default settings for the command line, "
        "hooks and the library.",
    )
    organization_repository: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")] | None = Field(
        default=None,
        description="The name of the owner's repository with default settings, for a server and the Action. `off`: no defaults. "
        "Default: `.deeprepo`.",
    )
    ticket_command: str | None = Field(
        default=None,
        description="A command that prints a ticket as text. It gets the key, such as `SHOP-12`, as its last argument. Of the environment, "
        "it gets `PATH`, `HOME` and variables that begin with `TICKET_`.",
    )

    def permissions(self, *, run_tests: bool | None = None) -> tuple[str, ...]:
        """Return what is allowed in addition to reading: "run" for running tests.

        `run_tests` is what a person at a terminal has typed, which overrides the variable.
        """
        return ("run",) if (self.run if run_tests is None else run_tests) else ()

    def with_server_ceilings(self) -> "Settings":
        """Return the settings with a server's default for each unset spending limit."""
        missing = {name: value for name, value in SERVER_CAPS.items() if getattr(self, name) is None}
        return replace(self, **missing)  # type: ignore[arg-type]  # all of these fields are numbers

    def ceilings(self) -> Iterator[tuple[str, str]]:
        """Yield the variable and value, as text, of each limit that a repository's file cannot raise."""
        for name in ("models", "effort", *SERVER_CAPS):
            value = getattr(self, name)
            if value is not None:
                yield f"{PREFIX}{name.upper()}", f"{value:.2f}" if isinstance(value, float) else value


def environment(*, on_server: bool = False) -> Settings:
    """Return the environment's settings. With `on_server`, a server's default spending limits apply.

    Raises ConfigError for an invalid variable. The message contains its name, but never its value.
    """
    names = own_variables()
    rows = tuple((name.upper(), value) for name, value in os.environ.items() if value and name.upper() in names)
    settings = _validate(rows)
    return settings.with_server_ceilings() if on_server else settings


@lru_cache(maxsize=1)  # several parts of a review need the settings
def _validate(rows: tuple[tuple[str, str], ...]) -> Settings:
    try:
        return Settings(**{name.removeprefix(PREFIX).lower(): value for name, value in rows})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{PREFIX}{str(first['loc'][0]).upper()}: {yaml_text.sentence(first)}") from None


def own_variables() -> set[str]:
    """Return the names of the variables that `Settings` is read from."""
    return {f"{PREFIX}{variable.name}".upper() for variable in fields(Settings)}


def other_variables() -> list[str]:
    """Return the set variables with the prefix that neither `Settings` nor an action nor a provider's address reads."""
    read, beginnings = own_variables(), (f"{BASE_URL}_", f"{PREFIX}ACTION_")
    names = [name for name in os.environ if name.upper().startswith(PREFIX) and name.upper() not in read]
    return [name for name in names if not name.upper().startswith(beginnings)]


def base_url(provider: str) -> str | None:
    """Return the address that the environment sets for one provider, or None."""
    return os.environ.get(f"{BASE_URL}_{provider.upper()}", "").strip() or None


def program_environment(prefix: str | None = None) -> dict[str, str]:
    """Return the environment for another program.

    It has the search path, the home folder and the address of a container service, but none of deeprepo's
    secrets. With `prefix`, it also has the variables whose names begin with that prefix.
    """
    names = ("PATH", "HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CONTEXT", "CONTAINER_HOST")
    return {
        name: value
        for name, value in os.environ.items()
        if name in names or (prefix and name.upper().startswith(prefix))
    }


def first_set(variables: Sequence[str]) -> str | None:
    """Return the value of the first of these variables that is set, or None."""
    return next((value for name in variables if (value := os.environ.get(name, "").strip())), None)


def provider_key(variable: str) -> SecretStr | None:
    """Return a provider's key from a variable, or from the file named in <variable>_FILE, or None.

    Raises ConfigError if the file cannot be read.
    """
    value = os.environ.get(variable, "").strip()
    path = os.environ.get(f"{variable}_FILE", "").strip()
    if not value and path:
        try:
            value = Path(path).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"{variable}_FILE: the file cannot be read; use a file that this user can read"
            ) from error
    return SecretStr(value) if value else None


@dataclass(frozen=True)
class HookPush:
    """A push that is about to happen. `base` is the remote's current commit, or None for a new branch."""

    base: str | None
    head: str


def hook_index() -> str | None:
    """Return the path of the index to commit, or None for the default.

    `git commit -a` and `git commit FILE` use a temporary index.
    """
    return os.environ.get("GIT_INDEX_FILE") or None


def hook_repository() -> tuple[Path, Path] | None:
    """Return the git folder and the work tree if GIT_DIR and GIT_WORK_TREE are both set, else None.

    The two can be in unrelated places.
    """
    places = (os.environ.get("GIT_DIR"), os.environ.get("GIT_WORK_TREE"))
    return (Path(places[0]).resolve(), Path(places[1]).resolve()) if places[0] and places[1] else None


def hook_push() -> HookPush | None:
    """Return the push for which pre-commit runs us, or None if it runs us for something else.

    The pushed branch may not be checked out: `git push origin topic` works from every branch.
    """
    head = os.environ.get("PRE_COMMIT_TO_REF") or os.environ.get("PRE_COMMIT_LOCAL_BRANCH")
    return HookPush(os.environ.get("PRE_COMMIT_FROM_REF") or None, head) if head else None


def is_hook() -> bool:
    """Return whether git, which sets GIT_PREFIX, or pre-commit started this process."""
    return "PRE_COMMIT" in os.environ or "GIT_PREFIX" in os.environ
