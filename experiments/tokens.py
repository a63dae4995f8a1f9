"""TokenMeans: a text as the mean of its tokens' embeddings, read from the files of the package wordllama.

A candidate for the default text features, which `experiments.linear` measures. It needs wordllama, safetensors and
tokenizers installed. wordllama itself is never imported: its loader asks the network for a tokenizer it carries.
"""

import importlib.util
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize

TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
WEIGHTS = "weights/l2_supercat_256.safetensors"


class TokenMeans(TransformerMixin, BaseEstimator):
    """Strings → dense (m, 256), rows of unit length."""

    def fit(self, rows, y=None):  # noqa: ARG002  scikit-learn's signature
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        folder = package_folder()
        self.tokenizer_ = Tokenizer.from_file(str(folder / TOKENIZER))
        self.tokenizer_.no_truncation()
        self.tokenizer_.no_padding()
        (table,) = load_file(folder / WEIGHTS).values()
        self.embeddings_ = table.astype(np.float64)  # (tokens, 256)
        return self

    def transform(self, rows):
        ids = [text.ids for text in self.tokenizer_.encode_batch(list(rows), add_special_tokens=False)]
        return normalize(token_counts(ids, len(self.embeddings_)) @ self.embeddings_)


def token_counts(ids, tokens):
    """Lists of token numbers → sparse (m, tokens): how often each occurs."""
    ends = np.cumsum([0, *map(len, ids)])
    columns = np.concatenate([np.empty(0, np.int64), *map(np.asarray, ids)]).astype(np.int64)
    return sp.csr_array((np.ones(len(columns)), columns, ends), shape=(len(ids), tokens))


def package_folder():
    """Where wordllama lies, without importing it."""
    found = importlib.util.find_spec("wordllama")
    if found is None:
        raise SystemExit("these recipes read the embeddings in the package wordllama: pip install wordllama")
    return Path(found.origin).parent
