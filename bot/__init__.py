"""deeprepo: a self-hosted reviewer of pull requests that reads beyond the diff."""

__version__ = "0.2.0"
