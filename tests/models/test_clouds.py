"""Claude on Bedrock and Vertex, and OpenAI's models on Azure, each with a server of its dialect."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from raw_server import raw_server
from talking import TOOL, asked

from deeprepo.rlm import models
from deeprepo.rlm.errors import NotInstalled, ProviderRefused
from deeprepo.rlm.models import prices
from deeprepo.rlm.values import Model, Usage
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Modes, Reply, Server

BEDROCK, VERTEX = "bedrock/us.anthropic.claude-sonnet-5-5-v1:0", "vertex/claude-sonnet-5-5@20260101"
NOWHERE = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_PROFILE",
    "AWS_BEARER_TOKEN_BEDROCK",
    "GOOGLE_APPLICATION_CREDENTIALS",
)


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Remove all cloud credentials from the environment."""
    for name in NOWHERE:
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "CLOUDSDK_CONFIG"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_GCE_CHECK", "true")


def talk(
    name: str,
    script: doubles.Script,
    use: Callable[[Model, Server], Awaitable[object]],
    key: str | None = None,
    region: str = "us-east-1",
) -> None:
    async def run() -> None:
        async with doubles.anthropic_server(script, modes=Modes(thinks=9, wants_thinking=True)) as server:
            model = models.connect(name, key, server.base_url, region=region, project="a-project")
            try:
                await use(model, server)
            finally:
                await model.close()

    asyncio.run(run())


def signed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a secret")


def test_bedrock_request_is_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The request is signed, and the reply arrives in event stream frames."""
    signed_in(monkeypatch)

    async def use(model: Model, server: Server) -> None:
        done = await model.complete(asked())
        assert (done.text, done.usage) == ("hello " * 20, Usage(70, 18, 30))
        assert server.paths[0].endswith("/model/us.anthropic.claude-sonnet-5-5-v1:0/invoke-with-response-stream")
        assert "/us-east-1/bedrock/aws4_request" in server.headers[0]["authorization"]

    talk(BEDROCK, Reply("hello " * 20, usage=Usage(70, 9, 30)), use)


def account(folder: Path, url: str) -> str:
    """Write a service account file that gets its tokens from this address."""
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric import rsa

    private = rsa.generate_private_key(65537, 2048)
    pem = private.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()).decode()
    path = folder / "account.json"
    email = "bot@a-project.iam.gserviceaccount.com"
    path.write_text(
        json.dumps(
            {
                "type": "service_account",
                "project_id": "a-project",
                "private_key_id": "1",
                "private_key": pem,
                "client_email": email,
                "client_id": "1",
                "token_uri": url,
            }
        )
    )
    return str(path)


async def test_vertex_request_uses_default_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The request has a token from the default credentials, and the model in its path."""

    async def tokens(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        await reader.readexactly(int(length.partition(b":")[2]))
        raw = json.dumps({"access_token": "a-token", "expires_in": 3600, "token_type": "Bearer"}).encode()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
        writer.write(head % len(raw) + raw)

    async with raw_server(tokens) as port, doubles.anthropic_server("ok", key="a-token") as server:
        url = f"http://127.0.0.1:{port}/token"
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", account(tmp_path, url))
        model = models.connect(VERTEX, None, f"{server.base_url}/v1", region="us-east5", project="a-project")
        try:
            assert (await model.complete(asked(tool=TOOL))).text == "ok"
        finally:
            await model.close()
        where = "/v1/projects/a-project/locations/us-east5/publishers/anthropic/models/"
        assert server.paths == [f"{where}claude-sonnet-5-5@20260101:streamRawPredict"]


@pytest.mark.parametrize(
    ("name", "remedy"), [(BEDROCK, "AWS_ACCESS_KEY_ID"), (VERTEX, "GOOGLE_APPLICATION_CREDENTIALS")]
)
def test_missing_credentials_are_reported(name: str, remedy: str) -> None:
    """Without credentials, nothing is sent, and the error names the variable to set."""

    async def use(model: Model, server: Server) -> None:
        with pytest.raises(ProviderRefused, match=remedy):
            await model.complete(asked())
        assert server.count == 0

    talk(name, "ok", use, region="eu-west-1")  # the library keeps a session per region


@pytest.mark.parametrize(("name", "module"), [(BEDROCK, "boto3"), (VERTEX, "google.auth")])
def test_missing_extra_is_reported(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the cloud's library is not installed, the error names the missing extra."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(NotInstalled, match="needs packages that are not installed") as raised:
        models.connect(name, region="us-east-1", project="p")
    assert raised.value.extra == name.partition("/")[0]


async def test_azure_needs_only_the_resource_address() -> None:
    """The resource's address suffices; the key has Azure's header, and the token limit its newer name."""
    async with doubles.openai_server("ok") as server:
        model = models.connect("azure/my-deployment", "a-key", server.anthropic_url)
        assert (await model.complete(asked())).text == "ok"
        await model.close()
        assert (server.paths, server.headers[0]["api-key"]) == (["/openai/v1/chat/completions"], "a-key")
        assert "max_completion_tokens" in server.requests[0]


@pytest.mark.parametrize(
    ("name", "usd"),
    [
        (BEDROCK, 2.2),
        ("bedrock/global.anthropic.claude-sonnet-5-5", 2.0),
        ("bedrock/arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0", 1.1),
        ("bedrock/arn:aws:bedrock:us-east-1:1:application-inference-profile/abc123", None),
        (VERTEX, 2.2),
        ("azure/gpt-5.4-mini", 0.75),
        ("azure/my-deployment", None),
        ("openrouter/anthropic/claude-sonnet-4.5:nitro", 3.0),
        ("openrouter/anthropic/claude-sonnet-4.5-20250929:floor", 3.0),
        ("openrouter/anthropic/claude-sonnet-4.5:online", None),
        ("openrouter/some/model:free", 0.0),
        ("openrouter/some/model:nitro", None),
    ],
)
def test_prices_follow_the_cloud_or_variant(name: str, usd: float | None) -> None:
    """Prices follow the model's cloud or variant, and unknown ones are None."""
    found = prices.dollars(name, Usage(100_000, 0))
    assert found == (None if usd is None else pytest.approx(usd / 10))
