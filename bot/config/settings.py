"""Read the settings in environment variables that apply to every command.

Pydantic takes longer to load than the rest of a review without a model, so it is only loaded if a variable
is set.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bot.config.defaults import SETTING_FIELDS, Threshold, key_in_file
from bot.config.setting import setting
from bot.errors import ConfigError
from bot.levels import ReviewEffort, Strategy
from deeprepo.rlm.values import Effort

if TYPE_CHECKING:
    from pydantic import SecretStr

PREFIX = "DEEPREPO_"

# The default spending limits on a server, where the operator pays for reviews without watching them.
SERVER_CAPS = {
    "cap_usd": 5.0,
    "cap_usd_per_day": 100.0,
    "cap_usd_per_day_installation": 50.0,
    "cap_usd_per_day_repository": 25.0,
}
BASE_URL = "DEEPREPO_BASE_URL"


def _as_file(name: str, more: str = "") -> Any:  # noqa: ANN401 - the field's annotation is its type
    """Declare the variable for a setting that files can contain too, with the same bounds."""
    bounds = {key: value for key, value in _BY_NAME[name].metadata["field"].items() if key != "description"}
    return setting(None, f"As `{key_in_file(name)}`{more}.", **bounds)


_BY_NAME = {each.name: each for each in SETTING_FIELDS}
LOWER = " (files can only lower it)"


# ruff: noqa: RUF009 - `setting` returns what `field` returns
@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in environment variables: DEEPREPO_ROOT, DEEPREPO_WORKER, DEEPREPO_BASE_URL and so on."""

    root: str | None = _as_file("root")
    worker: str | None = _as_file("worker")
    models: str | None = setting(
        None,
        "The models that a repository's file may choose, separated by commas; `*` matches any text. Default: only "
        "`DEEPREPO_ROOT` and `DEEPREPO_WORKER`, if one of them is set.",
    )
    thinking: Effort | None = _as_file("thinking")
    timeout: float | None = _as_file("timeout")
    concurrency: int | None = _as_file("concurrency")
    context: int | None = _as_file("context")
    base_url: str | None = setting(
        None,
        "The address of an OpenAI- or Anthropic-compatible endpoint, for the provider of "
        "`DEEPREPO_ROOT` and `DEEPREPO_WORKER`. For another provider, set `DEEPREPO_BASE_URL_<PROVIDER>`.",
    )
    effort: ReviewEffort | None = _as_file("effort", LOWER)
    strategy: Strategy | None = _as_file("strategy", " (files can't choose another)")
    request_changes: Threshold | None = _as_file(
        "request_changes", " (files can't be stricter; `off` turns it off for every repository)"
    )
    pause_after: int | None = _as_file("pause_after", LOWER)
    usd: float | None = _as_file("usd", LOWER)
    tokens: int | None = _as_file("tokens", LOWER)
    calls: int | None = _as_file("calls", LOWER)
    seconds: float | None = _as_file("seconds", LOWER)
    cap_usd: float | None = setting(
        None,
        f"The operator's spending limit for one review, which no option or file can exceed. Default on a server and in "
        f"the Action: ${SERVER_CAPS['cap_usd']:g}.",
        ge=0,
    )
    cap_usd_per_day: float | None = setting(
        None,
        f"The server's spending limit for 24 hours, in dollars. Default on a server: ${SERVER_CAPS['cap_usd_per_day']:g}.",
        ge=0,
    )
    cap_usd_per_day_installation: float | None = setting(
        None,
        f"The 24-hour spending limit of one installation. Default on a server: "
        f"${SERVER_CAPS['cap_usd_per_day_installation']:g}.",
        ge=0,
    )
    cap_usd_per_day_repository: float | None = setting(
        None,
        f"The 24-hour spending limit of one repository. Default on a server: ${SERVER_CAPS['cap_usd_per_day_repository']:g}.",
        ge=0,
    )
    cache: str | None = setting(
        None,
        "The folder that caches parsed files (at most 512 MB); `off` turns caching off. "
        "Default: `~/.cache/deeprepo/facts`; on a server, `facts` in the data folder; in the Action, no cache.",
    )
    journal: str | None = setting(
        None, "The file in which `deeprepo review` records its calls, or a folder for one file per change."
    )
    run: bool | None = setting(
        None,
        "Whether to run tests in a sandbox for repositories that have a `run` section in `.deeprepo.yml`.",
    )
    run_sandbox: Literal["bubblewrap", "docker", "podman"] | None = setting(
        None, "The sandbox for tests. Default: the first of these that is installed."
    )
    run_tools: str | None = setting(
        None,
        "Extra read-only folders for bubblewrap in addition to /usr, separated by `:`, such as `/opt/go:/opt/node`.",
    )
    run_network: bool | None = setting(None, "Whether `run.prepare` may use the network.")
    run_forks: bool | None = setting(
        None, "Whether a server and the Action also run tests for pull requests from forks."
    )
    run_cache: str | None = setting(
        None,
        "The cache folder for the dependencies that `run.prepare` installs (at most 8 GB). Default: `~/.cache/deeprepo/run`.",
    )
    organization: str | None = setting(
        None,
        "A clone of your organization's `.deeprepo` repository. Its HEAD contains the default settings for the command line, "
        "hooks and the library.",
    )
    organization_repository: str | None = setting(
        None,
        "The name of the owner's repository with default settings, for a server and the Action. `off`: no defaults. "
        "Default: `.deeprepo`.",
        pattern=r"^[A-Za-z0-9._-]{1,100}$",
    )
    ticket_command: str | None = setting(
        None,
        "A command that prints a ticket as text. It gets the key, such as `SHOP-12`, as its last argument. Of the environment, it gets "
        "`PATH`, `HOME` and variables that begin with `TICKET_`.",
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
        for name in ("models", "effort", "cap_usd", *(name for name in SERVER_CAPS if name != "cap_usd")):
            value = getattr(self, name)
            if value is not None:
                yield f"DEEPREPO_{name.upper()}", f"{value:.2f}" if isinstance(value, float) else value


def environment(*, on_server: bool = False) -> Settings:
    """Return the environment's settings. With `on_server`, a server's default spending limits apply.

    Raises ConfigError for an invalid variable. The message contains its name, but never its value.
    """
    names = own_variables()
    rows = tuple(row for row in os.environ.items() if row[0].upper() in names)
    settings = _validate(rows) if any(value for _, value in rows) else Settings()
    return settings.with_server_ceilings() if on_server else settings


@lru_cache(maxsize=1)
def _validate(_: tuple[tuple[str, str], ...]) -> Settings:
    """Return the settings in the environment.

    The argument is only the cache's key. Validation takes as long as a review's searches, and several parts
    of a review need the settings.
    """
    from pydantic import ValidationError

    from bot.config import from_environment, yaml_text

    try:
        values = from_environment.model(Settings, PREFIX)().model_dump()
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{PREFIX}{str(first['loc'][0]).upper()}: {yaml_text.sentence(first)}") from None

    return Settings(**values)


def own_variables() -> set[str]:
    """Return the names of the variables that `Settings` is read from."""
    return {f"{PREFIX}{variable.name}".upper() for variable in fields(Settings)}


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
    """Return the value of the first of these variables that is set, or None.

    Used for the variables of clouds.
    """
    return next((value for name in variables if (value := os.environ.get(name, "").strip())), None)


def provider_key(variable: str) -> "SecretStr | None":
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
    if not value:
        return None
    from pydantic import SecretStr

    return SecretStr(value)
