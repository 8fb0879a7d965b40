"""Access to the machine: files, processes with limits, and optional parts of the installation."""
