"""A ladder's matches as one data set: Parquet files that any program of data analysis reads."""
