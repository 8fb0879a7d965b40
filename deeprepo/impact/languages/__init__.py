"""One folder for each language: README.md says how one is written."""
