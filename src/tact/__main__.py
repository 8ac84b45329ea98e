"""Run ``python -m tact``, the same as ``tact``."""

from tact.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
