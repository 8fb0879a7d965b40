"""Read the settings in environment variables that apply to every command.

Pydantic takes longer to load than the rest of a review without a model, so it is only loaded if a variable
is set.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from bot import registry
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
_OF_FEATURES: tuple[type, ...] = registry.parts("variables")
Form = TypeVar("Form")
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
    of_features: tuple[Any, ...] = field(default_factory=lambda: tuple(form() for form in _OF_FEATURES))

    def of(self, form: type[Form]) -> Form:
        """Return a feature's variables. `form` is their dataclass."""
        return next(feature for feature in self.of_features if isinstance(feature, form))

    def permissions(self, typed: Mapping[str, Any] = MappingProxyType({})) -> tuple[str, ...]:
        """Return the names of the permissions that the operator or a command-line option grants.

        `typed` maps names to the options' values; an option that is not None overrides the variable.
        """
        allowed = {
            name: getattr(form, name) for form in self.of_features for name in PERMISSIONS if hasattr(form, name)
        }
        allowed |= {name: value for name, value in typed.items() if value is not None}
        return tuple(name for name in PERMISSIONS if allowed[name])

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


VARIABLES: tuple[type, ...] = (Settings, *_OF_FEATURES)
PERMISSIONS = tuple(each.name for form in _OF_FEATURES for each in fields(form) if each.metadata["is_permission"])


def _variables(form: type) -> list[Field[Any]]:
    """Return the fields of a dataclass that are read from the environment."""
    return [each for each in fields(form) if each.metadata]


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
        values = from_environment.model(VARIABLES, PREFIX)().model_dump()
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{PREFIX}{str(first['loc'][0]).upper()}: {yaml_text.sentence(first)}") from None

    def made(form: type[Form], **more: Any) -> Form:  # noqa: ANN401 - of each form
        return form(**{variable.name: values[variable.name] for variable in _variables(form)}, **more)

    return made(Settings, of_features=tuple(map(made, _OF_FEATURES)))


def own_variables() -> set[str]:
    """Return the names of the variables that `Settings` is read from."""
    return {f"{PREFIX}{variable.name}".upper() for form in VARIABLES for variable in _variables(form)}


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
