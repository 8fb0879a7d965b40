"""What the check of names in data files reports: of ordinary commits, and of trees that lost one declaration."""
