"""List failed CI jobs on the reviewed head, each with its first error and the changed line behind it."""
