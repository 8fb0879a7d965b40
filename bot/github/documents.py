"""The GraphQL documents: REST can neither hide a comment nor tell or resolve a thread, and names no fork's pull request by its commit."""

MINIMIZE = """
mutation($id: ID!, $why: ReportedContentClassifiers!) {
  minimizeComment(input: {subjectId: $id, classifier: $why}) { minimizedComment { isMinimized minimizedReason } }
}"""
UNMINIMIZE = """
mutation($id: ID!) { unminimizeComment(input: {subjectId: $id}) { unminimizedComment { isMinimized } } }"""
RESOLVE = """
mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { id isResolved } } }"""
VIEWER = """
query { viewer { login } }"""
CLOSES = """
query($owner: String!, $name: String!, $number: Int!, $first: Int!) {
  repository(owner: $owner, name: $name) {
    nameWithOwner
    pullRequest(number: $number) {
      closingIssuesReferences(first: $first) { nodes { number title body repository { nameWithOwner } } }
    }
  }
}"""
OPEN = """
query($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequests(first: 100, after: $after, states: OPEN, orderBy: {field: UPDATED_AT, direction: DESC}) {
      pageInfo { hasNextPage endCursor }
      nodes { number headRefOid baseRefName }
    }
  }
}"""
THREADS = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { id isResolved isOutdated comments(first: 1) { nodes { databaseId isMinimized minimizedReason } } }
      }
    }
  }
}"""
