import pytest

from bot import config
from bot.config import Settings
from bot.errors import UsageError
from bot.wiring.access import Connections, address
from deeprepo.rlm.values import Message, Prompt
from deeprepo_sandbox import providers as doubles

KEYS = {"OPENAI_API_KEY": "sk-openai", "GROQ_API_KEY": "sk-groq", "MISTRAL_API_KEY": "sk-mistral"}
MAIN, OTHER = "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"
# Flags, operator settings, and the address that each provider's key is sent to ("error": unusable).
OWNERS = [
    ({}, {"worker": "openai/m"}, {"openai": MAIN, "groq": None, "compatible": None}),
    ({"worker": "groq/m"}, {}, {"groq": MAIN, "openai": None}),
    ({"worker": "groq/m"}, {"root": "openai/m"}, {"openai": MAIN, "groq": None}),
    ({}, {"root": "openai/r", "worker": "compatible/m"}, {"compatible": MAIN, "openai": None}),
    ({}, {"root": "openai/r", "worker": "groq/m"}, {"openai": "error", "groq": "error"}),
    ({}, {}, {"compatible": MAIN, "groq": "error", "openai": "error"}),
]


@pytest.mark.parametrize(("flags", "ours", "goes"), OWNERS)
def test_base_url_belongs_to_one_provider(
    flags: dict[str, str], ours: dict[str, str], goes: dict[str, str | None]
) -> None:
    """The address belongs to the provider that flags or operator chose. If unclear, it is an error."""
    settings = Settings(base_url=MAIN, **ours)
    for provider, expected in goes.items():
        if expected == "error":
            with pytest.raises(UsageError, match="DEEPREPO_BASE_URL"):
                address(provider, flags, settings)
        else:
            assert address(provider, flags, settings) == expected


def test_each_provider_can_have_its_own_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """DEEPREPO_BASE_URL_<PROVIDER> applies to that provider, and DEEPREPO_BASE_URL to the other one."""
    monkeypatch.setenv("DEEPREPO_BASE_URL_GROQ", OTHER)
    settings = Settings(base_url=MAIN, root="openai/r", worker="groq/m")
    assert [address(name, {}, settings) for name in ("openai", "groq", "mistral")] == [MAIN, OTHER, None]


async def test_keys_are_sent_only_to_their_own_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two providers at different addresses only get their own keys, even if the file chooses more models."""
    async with (
        doubles.openai_server("hello", key="sk-openai") as one,
        doubles.openai_server("hello", key="sk-groq") as other,
    ):
        for name, value in KEYS.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("DEEPREPO_BASE_URL", one.openai_url)
        monkeypatch.setenv("DEEPREPO_BASE_URL_GROQ", other.openai_url)
        settings = Settings(base_url=one.openai_url, worker="openai/m", models="groq/*, openai/m")
        file = b"models: {root: groq/r, worker: mistral/small}\nstrategy: rlm\n"
        resolved = config.resolve({}, file, settings)
        chosen = Connections(settings).models(resolved)
        assert chosen.root is not None
        assert chosen.reader is not None
        assert (chosen.root.name, chosen.reader.name) == ("groq/r", "openai/m")
        for model in (chosen.root, chosen.reader):
            await model.complete(Prompt((Message("user", "hi"),)))  # each server only accepts its own key
            await model.close()
        assert (one.count, other.count) == (1, 1)
