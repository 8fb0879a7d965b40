"""Programs on top of `deeprepo`, one for each of its three parts; docs/library.md walks through them."""
