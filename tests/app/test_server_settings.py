import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot import config
from bot.config.server import Server, server_settings
from bot.errors import ConfigError

KEY = (
    rsa.generate_private_key(65537, 2048)
    .private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    .decode()
)
SECRET = "0123456789abcdef"
COMPLETE = {"APP_ID": "12", "PRIVATE_KEY": KEY, "WEBHOOK_SECRET": SECRET}

Read = Callable[[Mapping[str, str]], Server]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Read:
    """Return a function that reads the settings from these DEEPREPO_ variables and no others."""
    for name in os.environ:
        if name.startswith("DEEPREPO_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    def given(variables: Mapping[str, str]) -> Server:
        for name, value in variables.items():
            monkeypatch.setenv(f"DEEPREPO_{name}", value)
        return server_settings()

    return given


def sentences(read: Read, variables: Mapping[str, str]) -> list[str]:
    """Return the errors about these variables."""
    with pytest.raises(ConfigError) as caught:
        read(variables)
    rows = str(caught.value).split("\n")
    return rows if len(rows) == 1 else [row.removeprefix("- ") for row in rows[1:]]


def test_secret_can_come_from_a_file(read: Read, tmp_path: Path) -> None:
    """Containers provide secrets as files."""
    files = {"PRIVATE_KEY": KEY, "WEBHOOK_SECRET": f"{SECRET}\n", "DATABASE_URL": "postgres://bot:pw@db/x\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    found = read({"APP_ID": "12"} | {f"{name}_FILE": str(tmp_path / name) for name in files})
    assert found.app is not None
    assert found.app.webhook_secret.get_secret_value() == SECRET
    assert found.url == "postgresql://bot:pw@db/x"


def test_secrets_never_appear_in_reprs_or_errors(read: Read) -> None:
    """Neither a repr nor an error message contains a secret."""
    found = read(COMPLETE | {"DATABASE_URL": "postgresql://bot:the-password@db/x"})
    said = [
        repr(found),
        str(found),
        *sentences(read, {"PRIVATE_KEY": "not-a-key-at-all", "WEBHOOK_SECRET": "too-short"}),
    ]
    planted = (KEY.split("\n")[1], SECRET, "the-password", "not-a-key-at-all", "too-short")
    assert [secret for secret in planted if secret in "\n".join(said)] == []
    assert {"the-password", SECRET} <= set(found.secrets())


def test_missing_credential_is_reported(read: Read) -> None:
    """Some of the three credentials without the others are an error; none means not set up yet."""
    assert read({}).app is None
    assert [line.split(" is")[0] for line in sentences(read, {"APP_ID": "12"})] == [
        "DEEPREPO_PRIVATE_KEY",
        "DEEPREPO_WEBHOOK_SECRET",
    ]


def test_credentials_stored_by_the_setup_page_are_used(read: Read, tmp_path: Path) -> None:
    """If the environment names an App, the stored credentials are not used: the two are never mixed."""
    (tmp_path / "deeprepo").mkdir()
    stored = {"app_id": "34", "private_key": KEY, "webhook_secret": SECRET}
    (tmp_path / "deeprepo" / "app.json").write_text(json.dumps(stored))
    found = read({})
    assert found.app is not None
    assert found.app.app_id == "34"
    assert len(sentences(read, {"APP_ID": "12"})) == 2


def test_provider_key_can_come_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The variable takes precedence over the file, and an unreadable file is reported by its variable."""
    (tmp_path / "key").write_text("sk-from-a-file\n")
    monkeypatch.setenv("SOME_KEY_FILE", str(tmp_path / "key"))
    found = config.provider_key("SOME_KEY")
    assert found is not None
    assert found.get_secret_value() == "sk-from-a-file"
    monkeypatch.setenv("SOME_KEY", "sk-from-the-environment")
    found = config.provider_key("SOME_KEY")
    assert found is not None
    assert found.get_secret_value() == "sk-from-the-environment"
    monkeypatch.delenv("SOME_KEY")
    monkeypatch.setenv("SOME_KEY_FILE", str(tmp_path / "absent"))
    with pytest.raises(ConfigError, match="SOME_KEY_FILE"):
        config.provider_key("SOME_KEY")
