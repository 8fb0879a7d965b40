"""One file per change of the tables, in order. A released file is never edited."""
