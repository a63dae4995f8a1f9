"""Published zero-shot methods to compare with, one a file, each with its equation."""
