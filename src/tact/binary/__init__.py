"""The field's binary metrics: who took over, and when, without the law of what people do.

`fdb` computes the metrics of Full-Duplex-Bench v1 as its code does; `windowed` the fixed window
that they are usually quoted as, and the same made to hang on intent. Proposition 2 of arXiv
2609.27372 links them to the timing score, whose limit they are.
"""

from tact.binary.stage import score

__all__ = ["score"]
