"""Attribute detectors: trained on seen classes, validated on held-out seen classes, asked about unseen ones."""
