"""Teaching: what people say of findings becomes rules and learnings, which keep others like them from being reported."""
