"""Turn people's reactions to findings into rules and learnings that silence similar findings."""
