"""``python -m boostbench`` is ``boostbench``."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; Ctrl-C is quiet while modules are loaded and at the very end too."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    gc.set_threshold(50_000)  # the values of a large plan all stay
    from boostbench.cli import main as command

    code = command()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # After `python -m`, CPython kills itself by SIGINT if the last exec() of a text, as dataclasses
    # and namedtuples do, was left by a KeyboardInterrupt, though that was handled since.
    exec("")
    sys.exit(code)


def _leave(*_: object) -> NoReturn:
    os.write(2, b"boostbench: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
