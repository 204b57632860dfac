from __future__ import annotations

import pytest

from ladder.values.sandbox_kind import chosen_runtime, has_own_kernel


@pytest.mark.parametrize(
    ("wanted", "known", "runtime", "own"),
    [
        ("auto", {"runc", "runsc"}, "runsc", True),
        ("auto", {"runc"}, "runc", False),
        ("auto", {"crun", "kata", "runsc-kvm"}, "runc", False),
        ("auto", set(), "runc", False),
        ("runc", {"runc", "runsc"}, "runc", False),
        ("crun", {"runsc"}, "crun", False),
        ("kata-fc", {"runc"}, "kata-fc", True),
    ],
)
def test_auto_is_gvisor_where_the_engine_knows_it_and_a_name_is_taken_as_it_is(
    wanted: str, known: set[str], runtime: str, own: bool
) -> None:
    chosen = chosen_runtime(wanted, known)
    assert (chosen, has_own_kernel(chosen)) == (runtime, own)
