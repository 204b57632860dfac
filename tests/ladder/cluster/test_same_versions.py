"""Workers that are turned away because their Python or Dask is another one."""

from __future__ import annotations

import platform

import distributed
import pytest

from ladder.cluster.dask_setup import why_not

SAME = {"python": platform.python_version(), "dask": distributed.__version__, "distributed": distributed.__version__}
OTHER_PATCH = ".".join([*platform.python_version_tuple()[:2], "999"])


@pytest.mark.parametrize("versions", [SAME, SAME | {"python": f"{OTHER_PATCH}.final.0", "numpy": "0"}])
def test_the_same_may_come(versions: dict[str, str]) -> None:
    assert why_not({"packages": versions}) is None


@pytest.mark.parametrize(
    ("name", "version", "words"),
    [
        ("python", "3.2.1", "Python 3.2"),
        ("dask", "1.0", "Dask 1.0"),
        ("distributed", "9" * 99, f"distributed {'9' * 40},"),
    ],
)
def test_another_is_named(name: str, version: str, words: str) -> None:
    sentence = why_not({"packages": SAME | {name: version}})
    assert sentence is not None
    assert words in sentence


@pytest.mark.parametrize("versions", [None, {}, {"packages": {}}, {"packages": "x"}])
def test_one_that_does_not_say_may_not_come(versions: object) -> None:
    assert why_not(versions) == "it does not say which versions of Python and Dask it has."
