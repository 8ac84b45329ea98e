"""TACT: turn-taking episodes from raw dialogue corpora, and the rule that scores systems."""

import os

# Sums in linear algebra depend on the number of threads in their last digits. One thread gives the
# same bytes on any machine; the cores are for jobs side by side. It must be set before numpy loads.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
