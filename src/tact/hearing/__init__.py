"""From frames of sound to spans of one's own speech: levels, spans, likeness, crosstalk, errors."""
