"""Access to the machine: files written without following links, and processes with limits that always end."""
