"""What a path, a pattern or a line tells by itself: is it a test, prose, a comment, a definition? Which lines belong together? Pure."""
