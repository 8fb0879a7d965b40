"""What a prompt shows beside the changed lines, and how it is packed."""
