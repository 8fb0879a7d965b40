"""Odd but rightly signed deliveries, and an operator's page in the hands of another installation."""

import asyncio
import gzip
import hashlib
import hmac
import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx2
import pytest
from whole import SECRET, whole


def signed(body: bytes, number: int, event: str = "issue_comment") -> dict[str, str]:
    """The headers of a delivery."""
    mac = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    said = {"x-github-event": event, "x-github-delivery": f"odd-{number}", "x-hub-signature-256": f"sha256={mac}"}
    return {**said, "content-type": "application/json"}


def changed(good: Mapping[str, Any], path: str, value: object) -> bytes:
    """The payload with one value replaced, as JSON."""
    said = deepcopy(dict(good))
    *above, last = path.split(".")
    here = said
    for name in above:
        here = here[name]
    here[last] = value
    return json.dumps(said).encode()


def odd(good: Mapping[str, Any]) -> list[tuple[str, bytes]]:
    """Bodies that no sender of sound mind would sign, with the event that each claims to be."""
    whole_body = json.dumps(good).encode()
    values = {
        "comment.body": ["/deeprepo ask \ud800\udfff\ud800", "/deeprepo ignore 1 a\0b"],
        "comment.id": [(1 << 63) - 1, -1, True, 1.0],
        "repository.owner": [{"login": ".."}, {"login": "a/b"}],
        "repository.name": ["shop\n", "../x"],
        "sender": [{"login": "maintainer\n", "type": "User"}, {"login": "../../orgs", "type": "User"}],
        "installation": [{"id": 424242}, {"id": 0}, None],
    }
    bodies = [
        gzip.compress(whole_body),
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        whole_body[:-1] + b',"z":' + b"9" * 5_000 + b"}",
        whole_body[:-1] + b',"action":"deleted"}',
        whole_body[:-1] + b',"z":NaN}',
        json.dumps(good).encode("utf-16"),
        b"\xef\xbb\xbf" + whole_body,
    ]
    place = {name: good[name] for name in ("installation", "repository", "sender")}
    queues = ["refs/heads/gh-readonly-queue/main/pr-999-abc", f"/pr-{'9' * 30}-a", "\ud800/pr-1-", ""]
    groups = [{"head_sha": "a" * 40, "head_ref": ref} for ref in queues]
    return [
        *(("issue_comment", body) for body in bodies),
        *(("issue_comment", changed(good, path, value)) for path, many in values.items() for value in many),
        *(
            ("merge_group", json.dumps({**place, "action": "checks_requested", "merge_group": group}).encode())
            for group in groups
        ),
    ]


@pytest.mark.slow
def test_an_odd_delivery_is_answered_and_harms_nothing(tmp_path: Path) -> None:
    """Whatever a signed body holds, there is an answer that is no fault of ours, and the server is ready for the next."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            number = await at.reviewed()
            with at.gh.holding() as held:
                await at.repo.comment(number, "/deeprepo help")
            good = dict(held[0].payload)
            async with httpx2.AsyncClient(base_url=at.address) as client:
                for count, (event, body) in enumerate(odd(good)):
                    answer = await client.post("/webhook", content=body, headers=signed(body, count, event))
                    assert answer.status_code < 500, body[:80]
                assert (await client.get("/readyz")).status_code == 200
            before = len(at.replies(number))
            await at.repo.comment(number, "/deeprepo help", author="colleague")
            await at.until(lambda: len(at.replies(number)) > before)

    asyncio.run(story())
