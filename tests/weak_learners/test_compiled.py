import pytest

from boostbench.weak_learners import compiled


def test_kernels_compiled_from_other_sources_are_dropped_and_others_kept(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    drop = compiled._drop_stale.__wrapped__
    drop(folder)
    index = folder / "grow-1.py310.nbi"
    index.touch()
    drop(folder)
    assert index.exists()
    monkeypatch.setattr(compiled, "_digest", lambda: "of sources that have changed")
    drop(folder)
    assert not index.exists()
    index.touch()
    drop(folder)
    assert index.exists()
