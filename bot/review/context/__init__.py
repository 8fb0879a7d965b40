"""Select the code that a prompt shows around the changed lines, and pack it."""
