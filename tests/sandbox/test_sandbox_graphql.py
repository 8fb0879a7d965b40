import pytest
from graphql import parse, validate

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
