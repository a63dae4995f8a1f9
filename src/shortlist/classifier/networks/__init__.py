"""The classifiers that are neural networks: `MLPClassifier` on features and `TransformerClassifier` on text.

`mlp` and `transformer` are what users call. `recipe` is what a user chooses; `phases` turns it into trainings, which
`self_training` runs one after the other on the network of `finetuning`. `training` is the loop that all of them share.
"""
