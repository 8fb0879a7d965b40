"""The example payloads of all GitHub editions, from their npm package."""

import asyncio
from pathlib import Path

import pytest
from octokit import member, packed
from serving import served, settings

EDITIONS = ("api.github.com", "ghes-31", "ghes-32", "ghes-33", "ghes-34", "ghes-35")
PAYLOADS = 726


@pytest.mark.slow
async def test_every_example_payload_is_accepted(tmp_path: Path) -> None:
    """Each signed delivery is answered with 202: queued, already known, or ignored with a reason."""
    package = await asyncio.to_thread(packed, "@octokit/webhooks-examples@7.6.1", tmp_path)
    rows = [
        (edition, entry["name"], payload)
        for edition in EDITIONS
        for entry in member(package, f"{edition}/index.json")
        for payload in entry["examples"]
    ]
    assert len(rows) == PAYLOADS
    wrong = []
    async with served(settings(tmp_path / "data")) as at:
        for edition, event, payload in rows:
            answer = await at.deliver(payload, event)
            if answer.status_code == 503:  # a busy database, so deliver it again
                answer = await at.deliver(payload, event, f"guid-{at.count}")
            said = answer.json()
            if answer.status_code != 202 or (said["outcome"] == "ignored" and not said["reason"]):
                wrong.append((edition, event, answer.status_code, said))
    assert wrong == []
