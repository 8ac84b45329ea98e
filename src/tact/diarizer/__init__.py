"""Who spoke when, and with what voice: the stages that listen to a corpus with networks."""
