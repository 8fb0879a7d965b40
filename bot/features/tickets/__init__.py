"""Show models the text of the tickets, for example in Jira or Linear, that a pull request mentions."""
