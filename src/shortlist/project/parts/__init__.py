"""Parts: the rows of a project some at a time, and what is done with each: voted on, counted, labelled."""
