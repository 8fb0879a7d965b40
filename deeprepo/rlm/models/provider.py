"""A provider's address, key and dialect, and checks of them before anything is sent."""

from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import urlsplit

from deeprepo.rlm.errors import UsageError

if TYPE_CHECKING:
    from pydantic import SecretStr

Tokens = Literal["max_completion_tokens", "max_tokens"]
Key: TypeAlias = "SecretStr | str | None"


@dataclass(frozen=True, slots=True)
class Provider:
    """One line of PROVIDERS.

    `tokens` is the parameter that caps a reply. Newer OpenAI models reject the older name, and many compatible servers
    silently ignore the newer one, which would leave the reply without a cap. `cloud` is set for models that a cloud runs.
    Its client signs the requests with credentials from the cloud's default chain.
    """

    name: str
    base_url: str | None  # None if the user must set it
    key: str | None = None  # the key's environment variable; "" for none, None for NAME_API_KEY
    dialect: Literal["openai", "anthropic"] = "openai"
    needs_key: bool = True
    tokens: Tokens = "max_tokens"
    headers: tuple[str, ...] = ()  # further headers with the key, in addition to `Authorization`
    cloud: Literal["", "bedrock", "vertex"] = ""
    url_variables: tuple[str, ...] = ()  # environment variables for its address; the first that is set counts
    region_variables: tuple[str, ...] = ()
    project_variables: tuple[str, ...] = ()

    @property
    def key_variable(self) -> str:
        """The environment variable for its key, or "" if it has none."""
        return f"{self.name.upper()}_API_KEY" if self.key is None else self.key


def address(provider: Provider, base_url: str | None) -> str:
    """Return the base URL to use. Raises UsageError if no URL is set, or if it is not a URL."""
    url = (base_url or provider.base_url or "").strip()
    if not url:
        variables = " or ".join((*provider.url_variables, "DEEPREPO_BASE_URL"))
        example = (
            "https://RESOURCE.openai.azure.com/openai/v1" if provider.name == "azure" else "http://127.0.0.1:8000/v1"
        )
        raise UsageError(f"{provider.name} has no default address. Set {variables}, for example to {example}")
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # an invalid port or IPv6 address
        is_address = False
    if not is_address:
        raise UsageError(
            f"the base URL of {provider.name} is not a web address. It must begin with http:// or https://"
        )
    if "@" in urlsplit(url).netloc:
        raise UsageError(f"the base URL of {provider.name} contains a user name or password. Configure a key instead")
    url = url.rstrip("/")
    return f"{url}/openai/v1" if provider.name == "azure" and not urlsplit(url).path else url


def is_private(base_url: str) -> bool:
    """Return whether an address is on this machine or in a private network, where calls aren't billed by the token."""
    host = (urlsplit(base_url).hostname or "").lower()
    try:
        place = ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".lan", ".localhost"))
    return place.is_private or place.is_loopback or place.is_link_local


def check_key(provider: Provider, key: Key, base_url: str | None) -> None:
    """Raise UsageError if a needed key is missing, or can't be a key. A server at a configured address may need none."""
    text = key_text(key)
    if provider.needs_key and not text and not base_url:
        raise UsageError(f"{provider.name} needs an API key. Set {provider.key_variable}, or choose another model")
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise UsageError(f"the key of {provider.name} contains invalid characters. Copy it again")


def key_text(key: Key) -> str:
    """Return the key as text, without surrounding whitespace, or "" if it is not set."""
    if key is None:
        return ""
    return (key if isinstance(key, str) else key.get_secret_value()).strip()
