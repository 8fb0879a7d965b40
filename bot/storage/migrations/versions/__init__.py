"""One file per change of the tables, in order. A file that was released is never edited."""
