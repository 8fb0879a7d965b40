"""What a run has asked and heard, line by line: written, read, played back, and handed to listeners."""
