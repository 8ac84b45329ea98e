# Check the config, name the runs, and say how a stage is called. No rule and no function here.
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

from tact import plan
from tact.config import read
from tact.errors import TactError
from tact.provenance import source_digest
from tact.vocabulary import DETECTORS, INTENTS

# Snakemake merges the files of the config by itself, and lets a key stand twice in one.
try:
    for file in workflow.configfiles:
        read(Path(file))
    RUNS = plan.variants(config)
except TactError as error:
    raise WorkflowError(str(error)) from None

MAIN = config["results"]
SETTINGS = RUNS[MAIN]
for run in RUNS.values():
    plan.write_resolved(run)
    plan.write_code(run)

# Jobs use the Python that runs Snakemake; each keeps to one thread, so that cores are not oversubscribed.
shell.prefix(
    f"set -euo pipefail; export PATH='{Path(sys.executable).parent}':$PATH"
    " OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1; "
)


wildcard_constraints:
    run="|".join(re.escape(run) for run in sorted(RUNS, key=len, reverse=True)),
    corpus="|".join(SETTINGS.corpora),
    system="|".join(SETTINGS.systems),
    shard=r"\d+",
    detector="|".join(DETECTORS),
    source="|".join(("words", *DETECTORS)),
    reference="|".join(("words", *DETECTORS)),
    hypothesis="|".join(("words", *DETECTORS)),
