"""What is known about a provider before anything is sent to it."""

from dataclasses import dataclass
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

    `tokens` is the field that caps a reply: newer OpenAI models refuse the older name, and many compatible servers pass
    over the newer one in silence, which would leave the reply without a cap. `cloud` is for models that a cloud runs: its own
    client signs the requests, with credentials from the cloud's own chain.
    """

    name: str
    base_url: str | None  # None: only the user knows it
    key: str | None = None  # the variable of its key, "": there is none; None: NAME_API_KEY
    dialect: Literal["openai", "anthropic"] = "openai"
    needs_key: bool = True
    tokens: Tokens = "max_tokens"
    headers: tuple[str, ...] = ()  # that carry the key, beside `Authorization`
    cloud: Literal["", "bedrock", "vertex"] = ""
    url_variables: tuple[str, ...] = ()  # of its address, the first that is set
    region_variables: tuple[str, ...] = ()
    project_variables: tuple[str, ...] = ()

    @property
    def key_variable(self) -> str:
        """The variable of its key, "" if there is none."""
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
    except ValueError:  # a port that is no number, an unfinished IPv6 address
        is_address = False
    if not is_address:
        raise UsageError(
            f"the base URL of {provider.name} is not a web address. It must begin with http:// or https://"
        )
    if "@" in urlsplit(url).netloc:
        raise UsageError(f"the base URL of {provider.name} contains a user name or password. Configure a key instead")
    url = url.rstrip("/")
    return f"{url}/openai/v1" if provider.name == "azure" and not urlsplit(url).path else url


def check_key(provider: Provider, key: Key, base_url: str | None) -> None:
    """Raise UsageError where a key is needed and missing, or can be no key. A server of the user's own may need none."""
    text = key_text(key)
    if provider.needs_key and not text and not base_url:
        raise UsageError(f"{provider.name} needs an API key. Set {provider.key_variable}, or choose another model")
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise UsageError(f"the key of {provider.name} contains invalid characters. Copy it again")


def key_text(key: Key) -> str:
    """Return the key as text, "" if it is not set. A line feed at the end of a variable is not part of it."""
    if key is None:
        return ""
    return (key if isinstance(key, str) else key.get_secret_value()).strip()
