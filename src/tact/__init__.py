"""TACT: turn-taking episodes from raw dialogue corpora, and the rule that scores systems."""
