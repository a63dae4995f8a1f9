"""Rows: read from anything, cut into chunks, found by number, and written as tables. They know nothing of labels.

rows = RowFile("news.csv")
for frame in rows.batches(["id", "text"]): ...
rows.take([7, 3, 12_000])
write_table("labels.parquet", frames, schema)
"""

from shortlist.rows.chunk import Chunk, Row
from shortlist.rows.reading import RowStore, chunks, read_texts, rows_at
from shortlist.rows.row_file import RowFile
from shortlist.rows.table import table_format, write_table

__all__ = ["Chunk", "Row", "RowFile", "RowStore", "chunks", "read_texts", "rows_at", "table_format", "write_table"]
