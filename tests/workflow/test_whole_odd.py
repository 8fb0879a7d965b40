"""Odd but rightly signed deliveries, and an operator's page in the hands of another installation."""

import asyncio
import gzip
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from whole import BROKEN, SECRET, Whole, whole

from bot.app.operator.seals import Seal, fresh


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


def cookie(at: Whole, scope: list[int], since: float) -> dict[str, str]:
    """The session of somebody who may see these installations."""
    said = {"id": fresh(), "login": "eve", "scope": scope, "since": since, "check": since + 3600, "until": since + 7200}
    return {"deeprepo": Seal.of(at.server.app.private_key).close("session", said)}


def test_a_session_sees_its_own_installations_alone(tmp_path: Path) -> None:
    """Neither lists nor pages, under any spelling of an id, show another one's review; markup in a title stays text; an old right is asked anew."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            other = await at.gh.repository("victim", "app", files={"a.py": "def f(a):\n    return a\n"})
            await other.commit("f", {"a.py": "def f():\n    return 1\n"})
            await other.open_pull("f", title='<script>alert(1)</script>" onload=x {{7*7}}')
            await at.repo.commit("feature", BROKEN)
            await at.quiet()
            (theirs,) = [row.id for row in (await at.server.store.listing.page(None, 50)).rows]
            pages = [f"/reviews/{quote(theirs, safe='~')}", f"/reviews/{theirs.upper()}", f"/reviews/{theirs}%2b1"]
            pages += ["/", "/queue", "/reviews", f"/reviews?repository={other.id}"]
            now = time.time()
            mine = cookie(at, [at.repo.installation], now)
            async with httpx2.AsyncClient(base_url=at.address, cookies=mine) as client:
                for page in pages:
                    assert "victim" not in (await client.get(page)).text, page
                form = re.search(r'name="form" value="([^"]+)"', (await client.get("/queue")).text)
                asked = {"form": form[1] if form else "", "failure": f"{other.id}#1"}
                assert (await client.post("/retry", data=asked)).status_code in (303, 403, 404)
            async with httpx2.AsyncClient(base_url=at.address, cookies=cookie(at, [other.installation], now)) as client:
                shown = await client.get("/reviews")
                assert (shown.status_code, "victim" in shown.text, "<script>alert" in shown.text) == (200, True, False)
                assert "{{7*7}}" in shown.text or "7*7" in shown.text
            old = cookie(at, [other.installation], now - 4000)
            async with httpx2.AsyncClient(base_url=at.address, cookies=old) as client:
                assert (await client.get("/reviews")).status_code == 303

    asyncio.run(story())
