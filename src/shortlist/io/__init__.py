"""Rows in, labels out: csv, jsonl and parquet, in pieces that fit in memory; never pickle.

rows = RowFile("news.csv")
for frame in rows.batches(["id", "text"]): ...
write_table("labels.parquet", label_frames(...), schema)
"""

from shortlist.io.labels import LabelTable
from shortlist.io.rows import RowFile
from shortlist.io.table import table_format, write_table

__all__ = ["LabelTable", "RowFile", "table_format", "write_table"]
