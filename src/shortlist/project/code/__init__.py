"""Code: the labelers of a project: loaded, read as source, each with its fingerprint."""
