"""Commands ingest: raw corpora to tables."""
