"""The default estimator: accuracies pooled over classes and labelers (docs/label-model.md)."""
