from pathlib import Path

import pytest
from graphql import parse, validate
from sandbox_rig import Rig, rig

from bot.github import client
from deeprepo_sandbox.github.graphql import SCHEMA

OURS = [path.stem for path in client.QUERIES.glob("*.graphql")]
WHOLE = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 1, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { id isResolved isOutdated comments(first: 1) { nodes { databaseId isMinimized } } }
      }
    }
  }
}
"""
PULL = {"owner": "acme", "name": "shop", "number": 1}


@pytest.mark.parametrize("name", OURS)
def test_product_queries_are_valid_for_githubs_schema(name: str) -> None:
    """Each of the product's GraphQL documents is valid for GitHub's public schema."""
    assert validate(SCHEMA, parse(client.query(name))) == []


async def test_threads_and_reviews_are_returned_in_pages(at: Rig) -> None:
    """Threads are returned in pages and show whether a person resolved them."""
    await at.review({"path": "a.txt", "line": 11, "body": "one"}, {"path": "a.txt", "line": 14, "body": "two"})
    first, second = at.gh.pull(1).review_comments
    at.repo.resolve(1, second.id)
    one = await at.ask(WHOLE, **PULL)
    threads = one["data"]["repository"]["pullRequest"]["reviewThreads"]
    assert threads["pageInfo"]["hasNextPage"]
    assert threads["nodes"][0]["comments"]["nodes"][0]["databaseId"] == first.id
    two = await at.ask(WHOLE, **PULL, after=threads["pageInfo"]["endCursor"])
    assert two["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"][0]["isResolved"] is True


@pytest.mark.parametrize(("contents", "resolved"), [("read", False), ("write", True)])
async def test_resolving_a_thread_requires_contents_write(tmp_path: Path, contents: str, resolved: bool) -> None:
    """Like on GitHub, an App with write access to pull requests only is refused."""
    async with rig(tmp_path, permissions={"pull_requests": "write", "contents": contents}) as at:
        await at.repo.review_comment(1, "a.txt", 11, "look")
        (top,) = at.gh.pull(1).review_comments
        said = await at.ask(client.query("resolve"), id=f"PRRT_kwDO{top.id}")
        assert at.gh.pull(1).review_comments[0].is_resolved is resolved
        assert [error["type"] for error in said.get("errors", ())] == ([] if resolved else ["FORBIDDEN"])
        assert (await at.ask(client.query("resolve"), id="x"))["errors"][0]["type"] == "NOT_FOUND"
