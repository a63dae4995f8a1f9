"""Zero-shot classification on images and a table that ship inside registry packages."""
