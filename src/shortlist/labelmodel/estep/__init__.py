"""The E step: expected counts under a table of log P(vote | class), on cores, on a device, or over parts."""
