"""Read a server's settings from the environment: DEEPREPO_APP_ID, DEEPREPO_DATA and so on.

Secrets can also be in files. For example, DEEPREPO_PRIVATE_KEY_FILE is the path of the private key.
"""

import json
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.config import yaml_text
from bot.config.settings import PREFIX
from bot.errors import ConfigError

OWN_MEGABYTES = 512  # MB of memory for the server itself
CREDENTIALS = ("app_id", "private_key", "webhook_secret")
SIGN_IN = ("client_id", "client_secret")  # the App's credentials for signing in to the operator's page
SECRETS = (*CREDENTIALS, "client_secret")  # can also be read from the file named in DEEPREPO_<NAME>_FILE
CREDENTIALS_FILE = "app.json"  # in the data folder: the credentials that the setup page stores
SHORTEST_SECRET = 16
MAX_SECRET_BYTES = 64_000  # bytes that are read of a secret's file
# How to correct a variable, for the end of an error message.
ADVICE = {
    "app_id": "use the number on the App's page on GitHub",
    "private_key": "set it to the content of the App's .pem file, or set DEEPREPO_PRIVATE_KEY_FILE to its path",
    "client_id": "find it on the App's page on GitHub, above the client secrets",
    "webhook_secret": "create one with `openssl rand -hex 32` and set the same value on GitHub",
    "github_api": "leave it unset for github.com; use https://HOST/api/v3 for GitHub Enterprise Server",
    "public_url": "set it to the address at which GitHub reaches this server, such as https://deeprepo.example.com",
    "database_url": "leave it unset for SQLite, or use postgresql://USER:PASSWORD@HOST/DATABASE",
    "trusted_proxy": "list the addresses of your own proxies, such as 10.0.0.5 or 10.0.0.0/8",
}


def _fits(pattern: str, says: str) -> AfterValidator:
    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(says)
        return value

    return AfterValidator(check)


def _check_private_key(value: SecretStr) -> SecretStr:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    text = value.get_secret_value().replace("\\n", "\n").strip()  # many web forms store line breaks as \n
    try:
        # Only check the format. Signing the first request checks the numbers, which takes 40 ms.
        key = load_pem_private_key(text.encode(), None, unsafe_skip_rsa_key_validation=True)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, RSAPrivateKey):
        raise ValueError("this is not an RSA private key in PEM format")  # noqa: TRY004 - pydantic reports ValueErrors
    return SecretStr(f"{text}\n")


def _check_secret_length(value: SecretStr) -> SecretStr:
    text = value.get_secret_value().strip()
    if len(text) < SHORTEST_SECRET:
        raise ValueError(f"the secret is too short. Use at least {SHORTEST_SECRET} characters")
    return SecretStr(text)


def _proxies(value: str) -> str:
    names = [name.strip() for name in value.split(",")]
    try:
        for name in names:
            ip_network(name, strict=False)
    except ValueError:
        raise ValueError("this is not a list of addresses") from None
    return ",".join(names)


def _database(value: SecretStr) -> SecretStr:
    kind, _, rest = value.get_secret_value().strip().partition("://")
    if kind not in {"postgres", "postgresql", "postgresql+psycopg"} or not rest:
        raise ValueError("only postgresql:// addresses are supported")
    return SecretStr(f"postgresql://{rest}")


def _trim(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


class FromEnvironment(BaseSettings):
    """The base of models that read environment variables. An empty variable counts as not set."""

    model_config = SettingsConfigDict(
        extra="ignore", frozen=True, env_ignore_empty=True, hide_input_in_errors=True, allow_inf_nan=False
    )


Kind = TypeVar("Kind", bound=BaseSettings)
Trimmed = Annotated[str, BeforeValidator(_trim)]
Address = Annotated[
    Trimmed,
    _fits(r"https?://[^\s/?#@]+(/[^\s?#]*)?", "this is not an address of the form https://HOST"),
    AfterValidator(lambda value: value.rstrip("/")),
]


class App(FromEnvironment):
    """The credentials of the GitHub App."""

    model_config = SettingsConfigDict(env_prefix=PREFIX)

    app_id: Annotated[Trimmed, _fits(r"[0-9]{1,20}", "this is not a number")] = Field(
        description="The App ID, shown on the App's page on GitHub."
    )
    private_key: Annotated[SecretStr, AfterValidator(_check_private_key)] = Field(
        description="The content of the App's .pem file."
    )
    webhook_secret: Annotated[SecretStr, AfterValidator(_check_secret_length)] = Field(
        description="The secret with which GitHub signs deliveries, at least 16 characters."
    )
    client_id: Annotated[Trimmed, _fits(r"[A-Za-z0-9._-]{0,100}", "this is not a client ID")] = Field(
        default="",
        description="The App's client ID. With a client secret, people can sign in to the operator's page with GitHub.",
    )
    client_secret: SecretStr | None = Field(default=None, description="A client secret of the App.")

    @property
    def has_sign_in(self) -> bool:
        """Whether people can sign in with GitHub."""
        return bool(self.client_id and self.client_secret and self.client_secret.get_secret_value().strip())


def _home() -> Path:
    """Return the default data folder, which does not depend on the current directory."""
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "deeprepo"


MEMORY_LIMIT_FILE = Path("/sys/fs/cgroup/memory.max")  # a container's memory limit, in bytes


def parallel_reviews(each: int) -> int:
    """Return how many reviews of `each` MB this machine can run in parallel, from 2 to 32.

    Memory permitting, that is 4 per core, because a review mostly waits for models.
    """
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    memory = pages * size >> 20
    with suppress(OSError, ValueError):  # without a limit, the file contains "max"
        memory = min(memory, int(MEMORY_LIMIT_FILE.read_text("ascii")) >> 20)
    return max(2, min(4 * (os.cpu_count() or 1), (memory - OWN_MEGABYTES) // each, 32))


class ServerOptions(FromEnvironment):
    """How the server runs on this machine."""

    model_config = SettingsConfigDict(env_prefix=PREFIX)

    github_api: Address = Field(
        default="https://api.github.com",
        description="The address of GitHub's API. For GitHub Enterprise Server: `https://HOST/api/v3`.",
    )
    public_url: Address | None = Field(default=None, description="The public address of this server.")
    data: Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())] = Field(
        default_factory=_home,
        description="The folder for all persistent data.",
        json_schema_extra={"default": "~/.local/share/deeprepo"},
    )
    app_path: Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())] | None = Field(
        default=None,
        description="The file in which the setup page stores the App's credentials. Default: `app.json` in the data folder. Workers "
        "that can read this file need no other credentials, and wait until it exists.",
    )
    database_url: Annotated[SecretStr, AfterValidator(_database)] | None = Field(
        default=None,
        description="`postgresql://USER:PASSWORD@HOST/DATABASE`. Default: SQLite files in the data folder.",
    )
    host: str = Field(default="127.0.0.1", description="The address to listen on; `0.0.0.0` means every address.")
    port: int = Field(
        default=8000, ge=0, le=65535, description="The port. 0 chooses a free port, which is shown in the log."
    )
    trusted_proxy: Annotated[str, AfterValidator(_proxies)] | None = Field(
        default=None, description="Addresses of your own proxies. Their X-Forwarded-For header is trusted."
    )
    work: bool = Field(default=True, description="Whether `serve` runs reviews itself. If not, only workers do.")
    review_memory_mb: int = Field(
        default=1024,
        ge=256,
        description="Memory limit of one review in MB, including git. A review that exceeds it is stopped.",
    )
    reviews: int = Field(
        default_factory=lambda values: parallel_reviews(values.get("review_memory_mb", 1024)),
        ge=1,
        le=256,
        description="Maximum parallel reviews in one process.",
        json_schema_extra={"default": "4 per core, as far as memory allows (2 to 32)"},
    )
    review_cpu_seconds: int = Field(
        default=20, ge=1, le=3600, description="CPU seconds for one file. A file that needs more is skipped."
    )
    debounce: float = Field(
        default=5.0, ge=0, le=600, description="Seconds to wait for a newer push before a review starts."
    )
    poll: float = Field(default=0.5, ge=0.01, le=60, description="Seconds between two checks for waiting jobs.")
    grace: float = Field(
        default=20.0, ge=0, le=3600, description="Seconds that running reviews get to finish when the server stops."
    )
    write_pause: float = Field(
        default=1.0, ge=0, le=60, description="Seconds between two writes to GitHub, as GitHub recommends."
    )
    retention_days: int = Field(default=30, ge=1, description="Days after which stored data is deleted.")
    catch_up_days: int = Field(
        default=3,
        ge=0,
        le=30,
        description="Missed pull requests up to this age in days are still reviewed. 0 turns this off.",
    )
    log_format: Literal["text", "json"] = Field(default="text", description="Plain text, or one JSON object per line.")
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], BeforeValidator(lambda text: str(text).strip().lower())
    ] = Field(default="info", description="The lowest level to log.")

    @property
    def credentials(self) -> Path:
        """The file in which the setup page stores the App's credentials."""
        return self.app_path or self.data / CREDENTIALS_FILE

    def address(self, port: int | None = None) -> str:
        """Return the server's address on this machine. `port` is the actual port if the setting is 0."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - not bound
        return f"http://{f'[{host}]' if ':' in host else host}:{port or self.port}"


@dataclass(frozen=True, slots=True)
class Server:
    """The settings of a server. `app` is None until the App's credentials are set."""

    options: ServerOptions
    app: App | None

    @property
    def url(self) -> str:
        """The PostgreSQL address, or "" if SQLite is used. It may contain a password, so never show it."""
        return self.options.database_url.get_secret_value() if self.options.database_url else ""

    @property
    def database(self) -> str:
        """The address of the PostgreSQL or SQLite database."""
        return self.url or f"sqlite:///{self.options.data / 'deeprepo.db'}"

    def secrets(self) -> tuple[str, ...]:
        """Return all secret values, which the log masks."""
        credentials = (self.app.private_key, self.app.webhook_secret, self.app.client_secret) if self.app else ()
        password = urlsplit(self.url).password
        return (
            *(secret.get_secret_value() for secret in credentials if secret),
            *([unquote(password), password] if password else []),
        )


def server_settings() -> Server:
    """Return the settings of a server.

    Raises ConfigError with a sentence for each wrong variable. The message never contains a value.
    """
    wrong: list[str] = []
    options = _read(ServerOptions, _files(("database_url",), wrong), wrong)
    if any(_variable(name) or _variable(f"{name}_file") for name in CREDENTIALS):
        app = _read(App, _files(SECRETS, wrong), wrong)
    else:
        stored_values = _stored_values(options.credentials, wrong) if options else {}
        public = stored_values.pop("public_url", "")
        app = _read(App, {**stored_values, **_files(SIGN_IN[1:], wrong)}, wrong) if stored_values else None
        if options is not None and options.public_url is None and public:
            options = options.model_copy(update={"public_url": public})  # as typed on the setup page
    if wrong or options is None:
        rows = list(dict.fromkeys(wrong))
        raise ConfigError(rows[0] if len(rows) == 1 else "\n- ".join((f"{len(rows)} settings need a change:", *rows)))
    return Server(options, app)


def _read(kind: type[Kind], values: dict[str, Any], wrong: list[str]) -> Kind | None:
    """Appends a sentence for each to `wrong`."""
    try:
        return kind(**values)
    except ValidationError as error:
        for item in error.errors():
            if item["type"] == "default_factory_not_called":  # a setting that it depends on is wrong
                continue
            name = str(item["loc"][0])
            variable = f"{PREFIX}{name.upper()}"
            if any(line.startswith((f"{variable}_FILE", f"{variable} and")) for line in wrong):
                continue  # already reported, because its file could not be read
            problem = "is not set" if item["type"] == "missing" else yaml_text.sentence(item)
            separator = " " if item["type"] == "missing" else ": "
            advice = f". {ADVICE[name][0].upper()}{ADVICE[name][1:]}" if name in ADVICE else ""
            wrong.append(f"{variable}{separator}{problem}{advice}")
    return None


def _files(names: Iterable[str], wrong: list[str]) -> dict[str, Any]:
    """Return the contents of the files named in DEEPREPO_<NAME>_FILE.

    Appends a sentence for each error to `wrong`. Containers use such files to keep secrets out of the
    environment.
    """
    values = {}
    for name in names:
        path = _variable(f"{name}_file")
        if not path:
            continue
        variable = f"{PREFIX}{name.upper()}"
        if _variable(name):
            wrong.append(f"{variable} and {variable}_FILE are both set. Keep only one of them")
        try:
            with Path(path).expanduser().open("rb") as file:
                values[name] = file.read(MAX_SECRET_BYTES).decode()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            wrong.append(f"{variable}_FILE: the file cannot be read ({reason}); use a file that this user can read")
    return {name: text.strip() for name, text in values.items()}


def _stored_values(path: Path, wrong: list[str]) -> dict[str, Any]:
    """Return what the setup page stored; empty if it has not been used."""
    try:
        document = json.loads(path.read_bytes())
        credentials = {name: str(document[name]) for name in CREDENTIALS}
        return credentials | {name: str(document[name]) for name in (*SIGN_IN, "public_url") if document.get(name)}
    except FileNotFoundError:
        return {}
    except OSError as error:
        wrong.append(f"{path} cannot be read: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        wrong.append(
            f"{path} is damaged. Delete it and set up the App again, or set {PREFIX}APP_ID and the other credentials"
        )
    return {}


def _variable(name: str) -> str:
    return os.environ.get(f"{PREFIX}{name.upper()}", "").strip()
