import base64
from pathlib import Path

import pytest
import yaml

from nominee.embedded.kubeconfig import write_kubeconfig
from nominee.errors import InputError, StorageError

SERVER = "https://127.0.0.1:6443"


def test_it_has_all_that_clients_need_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "a" / "config"
    write_kubeconfig(path, SERVER, b"authority", "secret")
    assert path.stat().st_mode & 0o777 == 0o600
    config = yaml.safe_load(path.read_text())
    [cluster] = config["clusters"]
    assert cluster["cluster"]["server"] == SERVER
    assert base64.b64decode(cluster["cluster"]["certificate-authority-data"]) == b"authority"
    assert config["users"][0]["user"] == {"token": "secret"}
    assert config["current-context"] == config["contexts"][0]["name"]


def test_it_is_written_again_at_each_start(tmp_path: Path) -> None:
    path = tmp_path / "config"
    write_kubeconfig(path, SERVER, b"authority", "first")
    write_kubeconfig(path, SERVER, b"authority", "second")
    assert "second" in path.read_text()
    assert [each.name for each in tmp_path.iterdir()] == ["config"]


def test_an_empty_file_is_as_good_as_none(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.touch()
    write_kubeconfig(path, SERVER, b"authority", "secret")
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_file_of_somebody_else_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("apiVersion: v1\nkind: Config\n")
    with pytest.raises(InputError, match="name another --kubeconfig"):
        write_kubeconfig(path, SERVER, b"authority", "secret")
    assert path.read_text() == "apiVersion: v1\nkind: Config\n"


def test_where_nothing_can_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="config"):
        write_kubeconfig(tmp_path / "file" / "config", SERVER, b"authority", "secret")
