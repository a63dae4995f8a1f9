"""Estimators: ways to learn from votes how far each labeler can be trusted."""
