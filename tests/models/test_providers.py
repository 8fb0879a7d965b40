"""Create models from their names, before anything is sent."""

import subprocess
import sys

import pytest
from pydantic import SecretStr

from bot.errors import UsageError
from deeprepo.rlm import models


@pytest.mark.parametrize("name", sorted(models.PROVIDERS))
def test_every_provider_creates_a_model(name: str) -> None:
    """Each provider creates a model with its name without sending anything."""
    provider = models.PROVIDERS[name]
    url = None if provider.base_url else "http://127.0.0.1:1/v1"
    made = models.connect(f"{name}/some/model", SecretStr("key"), url, region="us-east-1", project="some-project")
    assert made.name == f"{name}/some/model"


@pytest.mark.parametrize("name", ["gpt-5-mini", "openai/", "/gpt-5-mini", ""])
def test_name_without_a_model_is_refused_with_an_example(name: str) -> None:
    """A name that is not provider/model gives an error with an example."""
    with pytest.raises(UsageError, match="Write provider/model, for example"):
        models.connect(name, "key")


def test_missing_key_error_names_its_variable() -> None:
    """The error for a missing key names its variable; a server with its own address needs no key."""
    with pytest.raises(UsageError, match="Set MISTRAL_API_KEY"):
        models.connect("mistral/codestral", SecretStr(""))
    assert models.connect("mistral/codestral", None, "http://127.0.0.1:1/v1").name == "mistral/codestral"


def test_key_with_an_invalid_character_is_refused() -> None:
    """A key with an invalid character is refused without being shown."""
    with pytest.raises(UsageError, match="Copy it again") as caught:
        models.connect("openai/gpt-5-mini", "sk-abc…")
    assert "sk-abc" not in str(caught.value)


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host", "http://", "http://host:port", "http://[::1"])
def test_invalid_base_url_is_refused(url: str) -> None:
    """A base URL that is not a web address is refused."""
    with pytest.raises(UsageError, match="is not a web address"):
        models.connect("ollama/llama", None, url)


def test_base_url_with_a_password_is_refused() -> None:
    """A password in the address would appear in messages, so it is refused without being shown."""
    with pytest.raises(UsageError, match="Configure a key instead") as caught:
        models.connect("compatible/m", None, "http://me:hidden@127.0.0.1/v1")
    assert "hidden" not in str(caught.value)


def test_libraries_are_loaded_lazily() -> None:
    """Importing the provider list loads neither the client libraries nor the price list."""
    script = "import sys, deeprepo.rlm.models; print({'openai', 'anthropic', 'aiohttp', 'genai_prices', 'pydantic'} & set(sys.modules))"
    assert (
        subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout == "set()\n"
    )
