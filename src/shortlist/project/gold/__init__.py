"""Gold: the classes that people know: the file in which they are kept, and which rows they are about."""
