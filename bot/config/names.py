"""The names of the files that deeprepo reads in a repository, and of files that people mistake for them."""

FILE = ".deeprepo.yml"
OTHER_NAMES = (".deeprepo.yaml", "deeprepo.yml", "deeprepo.yaml", ".github/deeprepo.yml", ".github/.deeprepo.yml")
# The repository's own comment templates.
TEMPLATES = tuple(f".deeprepo/templates/{name}.md.j2" for name in ("summary", "finding", "inline"))
MOST_MUSTS = 10  # requirements (`must`) in one review
MOST_SENTENCE = 300  # characters in a learning
