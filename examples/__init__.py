"""Programs on top of `deeprepo`, for each of its three parts; docs/library.md walks through them."""
