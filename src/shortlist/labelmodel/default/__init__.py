"""The default estimator. Begin with `pooled.py`."""
