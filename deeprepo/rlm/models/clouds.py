"""Claude on Amazon Bedrock and Google Vertex AI, through the anthropic library's clients.

Credentials come from each cloud's default chain (environment, profile, workload identity, metadata server). They
are not read or stored here. The clients need additional packages, which an extra installs and the first call
imports.
"""

from typing import Any

import anthropic

from deeprepo.rlm import is_installed
from deeprepo.rlm.errors import NotInstalled, UsageError
from deeprepo.rlm.models.anthropic import AnthropicModel
from deeprepo.rlm.models.connection import transport
from deeprepo.rlm.models.provider import Key, Provider, address, key_text

NEEDS = {"bedrock": "boto3", "vertex": "google.auth"}  # a package from the extra with this name
REMEDY = {
    "bedrock": "no AWS credentials for bedrock. Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
    "or AWS_PROFILE, or give this machine a role",
    "vertex": "no Google credentials for vertex. Set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account, run "
    "`gcloud auth application-default login`, or give this machine a service account",
}
# Vertex AI's addresses that don't follow the pattern for regions.
HOSTS = {"global": "aiplatform.googleapis.com"} | {
    place: f"aiplatform.{place}.rep.googleapis.com" for place in ("us", "eu")
}


def connect(
    provider: Provider,
    name: str,
    key: Key,
    base_url: str | None,
    timeout: float,
    region: str | None,
    project: str | None,
) -> AnthropicModel:
    """Return a cloud model. Raises UsageError if the extra, the region or the project is missing."""
    cloud = provider.cloud
    if not is_installed(NEEDS[cloud]):
        raise NotInstalled(f"{name} needs packages that are not installed", cloud)
    if not region:
        raise UsageError(f"{name} needs a region. Set {provider.region_variables[0]}, for example to us-east-1")
    maker: Any
    own: dict[str, Any]
    if cloud == "bedrock":
        from botocore.exceptions import BotoCoreError as Lacking

        maker, own = anthropic.AsyncAnthropicBedrock, {"aws_region": region, "api_key": key_text(key) or None}
        url = address(provider, base_url or f"https://bedrock-runtime.{region}.amazonaws.com")
    else:
        from google.auth.exceptions import GoogleAuthError as Lacking

        if not project:
            variable = provider.project_variables[0]
            raise UsageError(f"{name} needs a project. Set {variable} to the id of a Google Cloud project")
        maker, own = anthropic.AsyncAnthropicVertex, {"region": region, "project_id": project}
        url = address(provider, base_url or f"https://{HOSTS.get(region, f'{region}-aiplatform.googleapis.com')}/v1")

    def client() -> Any:  # noqa: ANN401 - of either cloud
        http = transport(anthropic.DefaultAioHttpClient, url, timeout)
        # Telemetry stays off, because its spans could contain prompts.
        return maker(base_url=url, max_retries=0, open_telemetry=False, http_client=http, **own)

    model = AnthropicModel(name, url, timeout, client)
    model.lacking, model.remedy = (RuntimeError, Lacking), REMEDY[cloud]
    return model
