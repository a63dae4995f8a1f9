"""The default estimator: accuracies pooled over classes and labelers (docs/the-model.md)."""
