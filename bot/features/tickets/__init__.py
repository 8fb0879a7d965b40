"""Tickets of Jira, Linear and others: models see the text of those that a pull request names."""
