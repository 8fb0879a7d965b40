"""Resolve names between files: what a file offers, who imports it, and which members a class has."""

from deeprepo.impact.reading.spots import present, uses
from deeprepo.impact.resolving.importers import project
from deeprepo.impact.resolving.offers import outline

__all__ = ["outline", "present", "project", "uses"]
