"""Keep a summary of the change in a section of the pull request's description."""
