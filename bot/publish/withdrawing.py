"""Findings that we have taken back: their threads are resolved, and where GitHub refuses that, collapsed as resolved."""

from collections.abc import Collection

from bot.errors import HostRefused
from bot.github import Host
from bot.publish.existing import PostedFinding, look


async def close(host: Host, resolver: Host, withdrawn: Collection[str], silenced_marks: Collection[str]) -> None:
    """Close the threads of these findings (fingerprints), but for those that are also about a finding that still stands.

    `resolver` may resolve threads, which takes a permission that an owner need not give; `host` may collapse comments.
    """
    for one in await look(host):
        marks = {mark for mark, _ in one.findings}
        if one.is_resolved or marks.isdisjoint(withdrawn) or not marks.issubset({*silenced_marks, *withdrawn}):
            continue
        if not await _resolve(resolver, one) and not one.hide_reason and one.comment.node_id:
            await host.client.ask("minimize", id=one.comment.node_id, why="RESOLVED")


async def _resolve(resolver: Host, one: PostedFinding) -> bool:
    if not one.thread:
        return False
    try:
        await resolver.client.ask("resolve", id=one.thread)
    except HostRefused:
        return False
    return True
