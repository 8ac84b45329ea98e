"""Commands posteriors, reference and laws."""
