"""Datasets: public data sets, read where they lie, in a folder called the data home.

A data set is named by its path under the data home: `load("trec")`, `load("lad/A0")`, `load("crowd/dog")`. Which
format it has is found out from its files, never from its name:

| files | what is read |
|---|---|
| `train.jsonl`, `dev.jsonl`, … | text: one JSON object a line, its gold class under "label"; one split a file |
| `x.npz` + `x.json` | attribute detectors: votes (m, n), gold y, and the shortlists that each vote stands for |
| `label.json` + `train.json`, `valid.json`, `test.json` | a WRENCH folder: rows, votes and gold |
| `label.csv` + `truth.csv` | crowd answers (item, worker, label) and the true label of items |
| `x.npz` with votes and gold | a label matrix: class numbers, −1 where a labeler abstains |
| `x.csv` (image, person, likeliest, …) | people who shortlist: three sets, `x/likeliest`, `x/two`, `x/possible` |

The data home is the argument `data_home`, or else the environment variable `SHORTLIST_DATA`.
"""

from experiments.datasets.catalogue import available, load
from experiments.datasets.dataset import Dataset, Split

__all__ = ["Dataset", "Split", "available", "load"]
