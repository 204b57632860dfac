from __future__ import annotations

from pathlib import Path

import pytest

from ladder.sandbox.wheels.packages import Packages, Store
from tests.ladder.sandbox.wheels.made import uv_of


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Folder that is the package index."""
    folder = tmp_path / "index"
    folder.mkdir()
    return folder


@pytest.fixture
def packages(shelf: Path, tmp_path: Path) -> Packages:
    """Packages from the shelf, with a store of their own."""
    return Packages(Store(tmp_path / "store"), uv_of(shelf))
