"""Test suites of other packages, run on the boosters of this one."""
