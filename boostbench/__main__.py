"""Entry point of ``boostbench`` and ``python -m boostbench``."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; Ctrl-C prints no traceback, even during imports and at exit."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit_interrupted)
    gc.set_threshold(50_000)  # most objects of a large plan live until the end
    from boostbench.cli import main as command

    code = command()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Under `python -m`, CPython kills the process with SIGINT at exit if a KeyboardInterrupt
    # ended the last exec() of source text (as in dataclasses and namedtuples), even if the
    # exception was handled. This exec() resets that state.
    exec("")
    sys.exit(code)


def _exit_interrupted(*_: object) -> NoReturn:
    os.write(2, b"boostbench: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
