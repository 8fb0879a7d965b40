"""Teaching: reactions to findings become rules and learnings, which silence similar findings."""
