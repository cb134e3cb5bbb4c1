//! Batch tables in and out: CSV or Parquet by ending.
