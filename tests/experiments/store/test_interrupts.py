"""Signals interrupt commands, but no write."""

import os
import signal

import pytest

from boostbench.experiments.store.interrupts import interruptible, uninterrupted

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def handled(sigterm_interrupts):
    """Let a stray signal of these tests end no test run."""
    before = {number: signal.signal(number, lambda *_: None) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_waits_until_the_write_is_done(number):
    written = []

    def write():
        with interruptible():
            with uninterrupted():
                os.kill(os.getpid(), number)
                with uninterrupted():
                    written.append(1)
                written.append(2)
            written.append(3)

    with pytest.raises(KeyboardInterrupt):
        write()
    assert written == [1, 2]


def test_several_quick_signals_are_one():
    n_raised = 0
    with interruptible():
        for _ in range(10):
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            except KeyboardInterrupt:
                n_raised += 1
    assert n_raised == 1


def test_an_ignored_signal_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup
    with interruptible():
        os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_handlers_are_restored():
    before = [signal.getsignal(number) for number in SIGNALS]
    with interruptible():
        assert [signal.getsignal(number) for number in SIGNALS] != before
    assert [signal.getsignal(number) for number in SIGNALS] == before
