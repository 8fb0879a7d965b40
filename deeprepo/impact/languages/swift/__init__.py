"""Swift: its files are searched for users of what changed; which files an import means, no line that names them says."""
