"""Support Swift, whose files are searched for references only, since no import names a file."""
