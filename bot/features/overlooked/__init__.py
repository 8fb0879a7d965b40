"""List the lines that a change may have forgotten, after the findings."""
