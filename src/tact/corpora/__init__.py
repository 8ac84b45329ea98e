"""One adapter per corpus: raw layout to recordings, speakers, words, acts and quarantine."""
