"""``python -m boostbench`` is ``boostbench``."""

import sys

from boostbench.cli import main

if __name__ == "__main__":
    sys.exit(main())
