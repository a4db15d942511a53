"""The helper answers what the command would, for its user alone, and nobody ever needs it."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import lerim
from lerim.daemon.address import SocketAddress, address_in
from lerim.daemon.helper import Helper, HelperEnd, is_same_user, start_helper
from lerim.daemon.talk import MAX_REQUEST, HelperReply, HelperRequest, ask, decoded_request, encoded, this_code

PACKAGE = str(Path(lerim.__file__).parents[1])
PROGRAM = f"import sys; sys.path.insert(0, {PACKAGE!r}); from lerim.cli.main import run; run()"
ECHO = HelperRequest("search", ("search", "für", "x y"), "/a b", {"HOME": "/h=1"}, 0o027, (80, 0), (True, False))


def wait_for(what: Callable[[], Any]) -> Any:
    """What comes sooner or later; a hung process is a failure, not a hang."""
    for _ in range(600):
        if found := what():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen within twelve seconds")


def echo(request: HelperRequest) -> HelperReply | None:
    return None if request.argv[-1:] == ("no",) else HelperReply(0, repr(request.argv), request.cwd)


def listens(address: SocketAddress) -> bool:
    return ask(address, HelperRequest("status", code=this_code())) is not None


@pytest.fixture
def address(tmp_path: Path) -> SocketAddress:
    found = address_in({"LERIM_HOME": str(tmp_path / "my home"), "XDG_RUNTIME_DIR": "/y" * 99})
    assert found is not None
    (tmp_path / "my home").mkdir()
    return found


class InThread:
    """A helper at work in this very process, over a real socket."""

    def __init__(self, address: SocketAddress, **options: Any) -> None:
        self.address = address
        self.end: HelperEnd | None = None
        self._thread = threading.Thread(target=self._run, kwargs={"idle_seconds": 60.0, "tick": 0.05, **options})
        self._thread.start()
        wait_for(lambda: self.end or os.path.exists(address.socket))

    def _run(self, **options: Any) -> None:
        self.end = Helper(self.address, echo, **options).run()

    def ended(self) -> HelperEnd | None:
        self._thread.join(12)
        return self.end


@pytest.fixture
def helper(address: SocketAddress) -> Iterator[InThread]:
    made = InThread(address)
    yield made
    ask(address, HelperRequest("stop", code=this_code()))
    made.ended()


# --- what is said -----------------------------------------------------------------------------------------------------


def test_a_request_survives_the_way() -> None:
    assert decoded_request(encoded(ECHO)) == ECHO


def test_what_is_asked_is_answered(helper: InThread) -> None:
    request = ECHO._replace(code=this_code())

    assert HelperReply(0, "('search', 'für', 'x y')", "/a b") == ask(helper.address, request)
    assert None is ask(helper.address, request._replace(argv=("search", "no")))
    status = ask(helper.address, HelperRequest("status", code=this_code()))
    assert status is not None and f"{os.getpid()} 1" == status.out


def test_only_its_owner_gets_to_it(helper: InThread) -> None:
    modes = [stat.S_IMODE(os.stat(path).st_mode) for path in (helper.address.folder, helper.address.socket)]

    assert [0o700, 0o600] == modes


@pytest.mark.parametrize("noise", [b"", b"\0", b"\xff" * 100, b"\0" * 1000, b"a\0search\0/\0x\0" + b"0\0" * 9])
def test_noise_ends_nobody(helper: InThread, noise: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(helper.address.socket)
        line.sendall(noise)

    assert listens(helper.address)


def test_a_request_without_end_is_cut_off(helper: InThread) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(helper.address.socket)
        try:
            for _ in range(2 * MAX_REQUEST // 1024):
                line.sendall(b"x" * 1024)
        except OSError:
            pass  # It hung up.

    assert listens(helper.address)
    with pytest.raises(ValueError, match="too long"):
        encoded(ECHO._replace(argv=("x" * MAX_REQUEST,)))


# --- whose it is ------------------------------------------------------------------------------------------------------


def test_another_user_is_refused(helper: InThread, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways: nobody asks a helper in a folder of another's, and the helper hears nobody of another's."""
    ours, other = socket.socketpair(socket.AF_UNIX)
    with ours, other:
        assert is_same_user(ours)
        monkeypatch.setattr(os, "geteuid", lambda: 4242)
        assert not is_same_user(ours)
        assert not helper.address.is_ours()
        monkeypatch.setattr(SocketAddress, "is_ours", lambda self: True)
        assert None is ask(helper.address, ECHO._replace(code=this_code()))
    monkeypatch.undo()


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o707])
def test_nobody_asks_in_a_folder_that_is_open_to_others(helper: InThread, mode: int) -> None:
    os.chmod(helper.address.folder, mode)
    try:
        assert None is ask(helper.address, ECHO._replace(code=this_code()))
    finally:
        os.chmod(helper.address.folder, 0o700)


def test_nobody_asks_through_a_link(address: SocketAddress, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir(mode=0o700)
    os.symlink(tmp_path / "theirs", address.folder)

    assert not address.is_ours()


# --- when it ends -----------------------------------------------------------------------------------------------------


def test_it_ends_when_nobody_asks(address: SocketAddress) -> None:
    assert HelperEnd.IDLE is InThread(address, idle_seconds=0.1).ended()
    assert not os.path.exists(address.socket)


def test_it_ends_when_its_home_is_gone(address: SocketAddress) -> None:
    helper = InThread(address)

    os.unlink(address.socket)

    assert HelperEnd.MOVED is helper.ended()


def test_another_version_gets_no_word_and_replaces_it(address: SocketAddress) -> None:
    helper = InThread(address)

    assert None is ask(address, ECHO._replace(code="0.0.1"))
    assert HelperEnd.REPLACED is helper.ended()


def test_it_does_not_outlive_its_code(address: SocketAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that it has loaded was changed in place."""
    file = tmp_path / "module.py"
    file.write_text("1")
    module = type(sys)("lerim.pretended")
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, "lerim.pretended", module)
    helper = InThread(address)
    assert listens(address)

    file.write_text("22")

    assert None is ask(address, ECHO._replace(code=this_code()))
    assert HelperEnd.REPLACED is helper.ended()


def test_there_is_one_at_a_time(helper: InThread) -> None:
    assert HelperEnd.TAKEN is Helper(helper.address, echo, 60.0).run()
    assert listens(helper.address)


@pytest.mark.parametrize("left", ["socket", "file"])
def test_what_a_killed_one_left_is_replaced(address: SocketAddress, left: str) -> None:
    os.mkdir(address.folder, 0o700)
    if left == "socket":
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(address.socket)
    else:
        Path(address.socket).touch()
    assert None is ask(address, ECHO._replace(code=this_code()))

    helper = InThread(address)
    wait_for(lambda: listens(address))

    assert None is not ask(address, HelperRequest("stop", code=this_code()))
    assert HelperEnd.STOPPED is helper.ended()


def test_a_frozen_one_is_not_waited_for(address: SocketAddress) -> None:
    """It takes calls, as the system does for a stopped process, and never speaks."""
    os.mkdir(address.folder, 0o700)
    with socket.socket(socket.AF_UNIX) as frozen:
        frozen.bind(address.socket)
        frozen.listen()

        assert None is ask(address, ECHO._replace(code=this_code()))


# --- where it is ------------------------------------------------------------------------------------------------------


def test_a_home_of_any_length_has_one(tmp_path: Path) -> None:
    env = {"LERIM_HOME": str(tmp_path / ("long " * 40)), "XDG_RUNTIME_DIR": str(tmp_path)}
    other = {**env, "LERIM_HOME": env["LERIM_HOME"] + "er"}
    address, another = address_in(env), address_in(other)
    assert address is not None and another is not None
    assert len(address.socket) <= 100
    assert address.folder != another.folder

    helper = InThread(address)
    wait_for(lambda: listens(address))
    ask(address, HelperRequest("stop", code=this_code()))

    assert HelperEnd.STOPPED is helper.ended()


@pytest.mark.parametrize(
    "env",
    [
        {"LERIM_HOME": "relative"},
        {"HOME": ""},
        {},
        {"HOME": "/home/ada", "LERIM_NO_HELPER": "1"},
        {"HOME": "/home/ada", "LERIM_CONFIG": "words.toml"},
    ],
)
def test_where_there_cannot_be_one_nobody_looks(env: dict[str, str]) -> None:
    assert None is address_in(env)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is closed to root")
def test_a_home_that_cannot_be_written_to_gets_none(address: SocketAddress) -> None:
    os.chmod(address.home, 0o500)
    try:
        assert not start_helper(address, {})
    finally:
        os.chmod(address.home, 0o700)


# --- whole processes --------------------------------------------------------------------------------------------------


class Shell:
    """A home with a memory, and `lerim` as people run it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.env = {"HOME": str(root), "PATH": os.defpath, "PYTHONUTF8": "1"}
        (root / ".git").mkdir()
        self("memory", "add", "--kind", "insight", "--title", "Tokens expire", "--body", "After a while.", no="1")
        address = address_in(self.env)
        assert address is not None
        self.address = address

    def start(self, *words: str, no: str = "") -> subprocess.Popen[str]:
        env = {**self.env, "LERIM_NO_HELPER": no}
        argv = [sys.executable, "-P", "-c", PROGRAM, *words]
        return subprocess.Popen(argv, cwd=self.root, env=env, stdout=subprocess.PIPE, text=True)

    def __call__(self, *words: str, no: str = "") -> str:
        with self.start(*words, no=no) as process:
            out, _ = process.communicate()
        assert 0 == process.returncode
        return out


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    shell = Shell(tmp_path)
    yield shell
    ask(shell.address, HelperRequest("stop", code=this_code()))


def test_a_search_starts_one_that_answers_the_next(shell: Shell) -> None:
    """Word for word what the command itself says; and a killed one is not missed."""
    first = shell("search", "tokens")
    pid = wait_for(lambda: json.loads(shell("helper", "status", "--json"))["pid"])
    for words in (["search", "tokens", "--json"], ["search", "when do tokens expire", "--explain"]):
        assert shell(*words) == shell(*words, no="1")
    assert "2" == shell("helper", "status").split("; ")[1].split()[0]

    os.kill(pid, signal.SIGKILL)
    (shell.root / ".lerim" / "config.toml").write_text("[helper]\nenabled = false\n")  # Or the next one stays.

    assert first == shell("search", "tokens")


def test_a_question_starts_one_that_answers_the_next(shell: Shell) -> None:
    first = shell("ask", "what happens to tokens")
    wait_for(lambda: json.loads(shell("helper", "status", "--json"))["pid"])
    for words in (["answer", "do tokens expire", "--explain"], ["ask", "who", "pays"]):
        assert shell(*words) == shell(*words, no="1")
    assert first == shell("ask", "what happens to tokens")
    assert "0" != shell("helper", "status").split("; ")[1].split()[0]


def test_a_question_for_a_model_is_not_handed_over(shell: Shell) -> None:
    """The key is with whoever asks: without a model at hand it fails there, and nobody answered."""
    (shell.root / ".lerim").mkdir(exist_ok=True)
    (shell.root / ".lerim" / "config.toml").write_text('[roles.lead]\nprovider = "ollama"\nmodel = "none"\n')
    shell("search", "tokens")
    wait_for(lambda: json.loads(shell("helper", "status", "--json"))["pid"])

    with shell.start("ask", "what happens to tokens") as process:
        process.communicate()

    assert process.returncode
    assert "0" == shell("helper", "status").split("; ")[1].split()[0]


def test_of_two_that_start_at_once_one_stays(shell: Shell) -> None:
    both = [shell.start("helper", "run") for _ in range(2)]
    loser = wait_for(lambda: next((each for each in both if each.poll() is not None), None))
    assert "ended: another one is running\n" == loser.communicate()[0]
    wait_for(lambda: listens(shell.address))

    assert "stopped\n" == shell("helper", "stop")
    winner = next(each for each in both if each is not loser)
    assert "ended: it was stopped\n" == winner.communicate()[0]


def test_a_setting_turns_it_off(shell: Shell) -> None:
    (shell.root / ".lerim" / "config.toml").write_text("[helper]\nenabled = false\n")

    shell("search", "tokens")

    assert "ended: it is turned off here\n" == shell("helper", "run")
    assert "not running; it is turned off here\n" == shell("helper", "status")
    assert not os.path.exists(shell.address.socket)
