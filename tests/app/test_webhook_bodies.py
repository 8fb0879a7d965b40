"""Malformed webhook bodies: a small sample of what `make bench NAME=fuzz` sends."""

from pathlib import Path

from serving import SECRET, served, settings

from benchmarks.deliveries import damaged, push

SOME = 60


async def test_malformed_bodies_never_cause_a_server_error(tmp_path: Path) -> None:
    """Odd values, keys and bytes are queued, ignored or refused, and a valid delivery is still queued."""
    wrong = []
    async with served(settings(tmp_path, debounce=600)) as server:
        for number in range(SOME):
            body = damaged(number)
            headers = body.headers(f"guid-{number}", SECRET)
            answer = await server.http.post("/webhook", content=body.raw, headers=headers)
            if answer.status_code not in (202, 400):
                wrong.append((number, answer.status_code, answer.text))
        whole = push(1)
        answer = await server.http.post("/webhook", content=whole.raw, headers=whole.headers("whole", SECRET))
        assert (answer.status_code, answer.json()["outcome"]) == (202, "queued")
    assert wrong == []
