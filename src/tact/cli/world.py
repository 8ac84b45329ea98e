"""Commands simulate and annotate: the made world."""
