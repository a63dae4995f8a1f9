"""Who may talk to the studio: one browser of this machine, and nobody else."""

import errno
import json
import logging
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner

from shortlist.cli.app import app, open_page
from shortlist.errors import ShortlistError
from shortlist.studio import OpenProject, server
from shortlist.studio.server import MAX_BODY, Server, listening
from tests.project.news import make
from tests.studio.running import running


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guarded") / "news"
    make(folder)
    with running(folder) as found:
        found.folder = folder
        found.first = found.address
        found.enter()
        found.until_open()
        yield found


SAVE = json.dumps({"record": {"kind": "keywords", "name": "evil", "words": ["x"], "says": "sports"}}).encode()
READ = json.dumps({"query": {}}).encode()


def untouched(studio):
    return "evil" not in (studio.folder / "shortlist.toml").read_text()


def test_the_token_works_once_and_leaves_the_address_clean(studio):
    token = studio.first.split("token=")[1]
    response = studio.send("GET", f"/?token={token}", Cookie=None)
    assert response.status == 403
    assert response.headers["set-cookie"] is None
    assert studio.send("GET", "/").status == 200
    again = studio.send("GET", f"/?token={token}")  # the same browser, the same bookmark
    assert (again.status, again.headers["location"]) == (303, "/")


def test_the_cookie_is_for_this_page_only(tmp_path):
    make(tmp_path / "news")
    with running(tmp_path / "news") as studio:
        query = studio.address.split("/?")[1]
        assert studio.send("HEAD", f"/?{query}").status == 403  # as a preview of the link: the token is not used up
        cookie = studio.send("GET", f"/?{query}").headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.lower()
        assert str(studio.server.port) in cookie.split("=")[0]  # cookies are shared by all ports
        assert studio.send("GET", "/?token=wrong").status == 403


@pytest.mark.parametrize("key", [None, "", "guess", "cookie"])
def test_the_cookie_alone_opens_nothing(studio, key):
    """attack.md 13: every other port of 127.0.0.1 is sent the cookie."""
    given = studio.key.split("=")[1] if key == "cookie" else key
    gets = [("GET", f"/api/{name}", None) for name in ("overview", "events", "rules")]
    for method, path, body in (*gets, ("POST", "/api/rows", READ), ("POST", "/api/save", SAVE)):
        assert studio.send(method, path, body, X_Shortlist_Key=given).status == 403
    for path in ("/", "/app.js", "/style.css"):  # and what it does open tells no key
        assert studio.page_key not in studio.send("GET", path, X_Shortlist_Key=None).text
    assert untouched(studio)


def test_the_browser_is_handed_a_file_that_nobody_else_can_read(tmp_path, monkeypatch):
    """attack.md 14: the address stood in the list of processes."""
    make(tmp_path / "news")
    launched = []

    def launch(address):
        launched.append((address, Path(urlsplit(address).path).read_text()))

    monkeypatch.setattr("typer.launch", launch)
    monkeypatch.setattr("shutil.which", lambda _name: None)
    monkeypatch.setattr(Server, "run", lambda server: server._socket.close())
    assert CliRunner().invoke(app, ["studio", str(tmp_path / "news")]).exit_code == 0
    ((address, text),) = launched
    assert address.startswith("file:")
    assert "token" not in address
    assert "/?token=" in text
    folder = Path(urlsplit(address).path).parent
    assert not folder.exists()
    unused = Server(OpenProject(tmp_path / "news"))
    with unused.address_file() as file:
        assert file.parent.stat().st_mode & 0o77 == 0
    unused.run()


def test_what_the_opener_prints_stays_off_the_terminal(tmp_path, monkeypatch, capfd):
    opener = tmp_path / "xdg-open"
    lines = ["#!/bin/sh", "echo noise", "echo noise >&2", 'cd "${0%/*}"', 'echo "$1" > new', "mv new asked"]
    opener.write_text("\n".join(lines))
    opener.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    open_page(tmp_path / "page.html")
    end = time.monotonic() + 30
    while not (tmp_path / "asked").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert (tmp_path / "asked").read_text() == f"{(tmp_path / 'page.html').as_uri()}\n"
    assert capfd.readouterr() == ("", "")


def test_half_requests_are_closed(studio, monkeypatch):
    """attack.md 15: 200 connections with half a request stayed open, and 400 left no descriptor for the page."""
    monkeypatch.setattr(server, "WAITING_TIME", 0.4)
    lines = [socket.create_connection(("127.0.0.1", studio.server.port), timeout=30) for _ in range(20)]
    for number, line in enumerate(lines):
        line.sendall(b"GET / HTTP/1.1\r\nHost: " if number % 2 else b"")
    for line in lines:
        with line, suppress(ConnectionResetError):
            assert line.recv(100) == b""
    assert studio.send("GET", "/api/overview").status == 200


def test_many_half_requests_do_not_keep_the_page_out(studio):
    with ExitStack() as stack:
        for _ in range(3 * server.MAX_WAITING):
            line = stack.enter_context(socket.create_connection(("127.0.0.1", studio.server.port), timeout=30))
            line.sendall(b"GET / HTTP/1.1\r\n")
        assert studio.send("GET", "/api/overview").status == 200
        assert len(studio.server._server.server_state.connections) <= server.MAX_WAITING + 5


@pytest.mark.parametrize(
    "path", ["/", "/app.js", "/style.css", "/api/overview", "/api/events", "/api/rules", "/nothing"]
)
@pytest.mark.parametrize("cookie", [None, "", "shortlist=1", "shortlist-{port}=guess"])
def test_without_the_cookie_nothing_is_answered(studio, path, cookie):
    given = None if cookie is None else cookie.format(port=studio.server.port)
    response = studio.send("GET", path, Cookie=given)
    assert response.status == 403
    assert "news" not in response.text


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:1",
        "0.0.0.0:{port}",
        "[::1]:{port}",
        "",
    ],
)
def test_another_name_for_this_machine_is_refused(studio, host):
    """DNS rebinding: a page of evil.example whose name now points here still says evil.example."""
    given = host.format(port=studio.server.port)
    for method, path, body in (("GET", "/", None), ("GET", "/api/overview", None), ("POST", "/api/save", SAVE)):
        response = studio.send(method, path, body, Host=given, Origin=f"http://{given}")
        assert response.status in (400, 421)
    assert untouched(studio)


def test_a_hostile_cookie_is_not_unquoted(studio, monkeypatch):
    """attack.md 11: unquoting 62 KB took 16 seconds, in which the page stood still."""
    monkeypatch.setattr("http.cookies._unquote", lambda text: pytest.fail("a cookie was unquoted"))
    hostile = 'a="' + r"\1" * 15_000 + '"; ' + studio.key
    assert studio.send("GET", "/api/overview", Cookie=hostile).status == 200


def test_its_other_name_is_fine(studio):
    host = f"localhost:{studio.server.port}"
    assert studio.send("GET", "/api/overview", Host=host).status == 200


@pytest.mark.parametrize(
    "origin",
    [None, "null", "http://evil.example", "https://{host}", "http://{host}.evil.example", "http://127.0.0.1:1"],
)
def test_another_page_changes_nothing_even_with_the_cookie(studio, origin):
    given = None if origin is None else origin.format(host=studio.host)
    for name, body in (
        ("save", SAVE),
        ("rows", READ),
        ("label", b'{"row": 1, "classes": ["sports"]}'),
        ("export", b'{"what": "labels"}'),
        ("export_own", b'{"to": "labels.csv"}'),
    ):
        assert studio.send("POST", f"/api/{name}", body, Origin=given).status == 403
    assert untouched(studio)
    assert not (studio.folder / "gold.jsonl").exists()


def test_another_page_reads_nothing_even_with_the_cookie(studio):
    for path in ("/api/overview", "/api/events", "/api/rules"):
        assert studio.send("GET", path, Origin="http://evil.example").status == 403
        assert studio.send("GET", path, Sec_Fetch_Site="cross-site").status == 403
    response = studio.send("GET", "/api/overview")
    assert response.status == 200
    assert not [name for name in response.headers if name.lower().startswith("access-control")]
    assert studio.send("OPTIONS", "/api/save", Origin="http://evil.example").status == 403


def test_every_answer_forbids_what_a_page_could_be_tricked_into(studio):
    for path in ("/", "/app.js", "/api/overview"):
        headers = studio.send("GET", path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_large_bodies_are_refused(studio):
    assert studio.send("POST", "/api/save", b"x" * 50_000_000).status == 413
    own = f"Host: {studio.host}\r\nOrigin: http://{studio.host}\r\nCookie: {studio.key}\r\n"
    own += f"X-Shortlist-Key: {studio.page_key}\r\n"
    chunked = f"POST /api/save HTTP/1.1\r\n{own}Transfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(("127.0.0.1", studio.server.port), timeout=30) as line:
        line.sendall(chunked.encode())
        piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        try:
            for _ in range(MAX_BODY // 0x10000 + 20):
                line.sendall(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert b" 413 " in line.recv(1000)
    assert studio.send("GET", "/api/overview").status == 200
    assert untouched(studio)


@pytest.mark.parametrize(
    "path",
    [
        "/../shortlist.toml",
        "/..%2fdesk.py",
        "/%2e%2e/server.py",
        "/VENDORED.md",
        "/app.js/..",
        "/api/nothing",
        "/__init__.py",
    ],
)
def test_only_files_of_the_page_are_served(studio, path):
    assert studio.send("GET", path).status in (400, 404)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b"null", b"1", b'{"record": 1}', b'{"record": {}}', b"\xff", b'{"row": 1e99}']
)
@pytest.mark.parametrize("name", ["save", "label", "preview", "rows", "compare", "switch", "undo", "setup"])
def test_nonsense_is_answered_with_a_sentence(studio, name, body, capsys):
    response = studio.send("POST", f"/api/{name}", body)
    assert response.status == 200
    json.loads(response.text)
    assert untouched(studio)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("why", b'{"row": 2, "against": Infinity}'),
        ("why", b'{"row": 9223372036854775808}'),
        ("next", b'{"passed": [9223372036854775808]}'),
        ("rows", b'{"query": {}, "offset": 9223372036854775808}'),
        ("rows", b'{"query": {"text": "\\ud800"}}'),
        ("label", b"[" * 100_000),
        ("export_own", json.dumps({"to": "x" * 300 + ".csv"}).encode()),
        ("export_own", b'{"to": "\\u0000.csv"}'),
    ],
)
def test_no_request_is_an_error_of_the_server(studio, name, body, capfd):
    """attack.md 18: these were answered with 500 and no word."""
    response = studio.send("POST", f"/api/{name}", body)
    assert response.status == 200
    answer = json.loads(response.text)
    assert name == "next" or answer.get("error", {}).get("message") or answer["rows"] == []


def test_names_of_any_length_are_no_files(studio):
    assert studio.send("GET", f"/{'a' * 5000}.js").status == 404
    assert studio.send("GET", "/%00.js").status == 404
    (studio.folder / "out").mkdir(exist_ok=True)
    assert studio.send("GET", f"/api/files/labels.{'a' * 300}").status == 404


def test_a_request_that_is_cut_is_no_error(studio, caplog):
    """Each printed a traceback of forty lines."""
    logging.getLogger("uvicorn.error").addHandler(caplog.handler)
    head = {"Host": studio.host, "Origin": f"http://{studio.host}", "Cookie": studio.key, "Content-Length": "9"}
    head |= {"X-Shortlist-Key": studio.page_key}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    with socket.create_connection(("127.0.0.1", studio.server.port), timeout=30) as line:
        line.sendall(f"POST /api/rows HTTP/1.1\r\n{lines}\r\n{{".encode())
        time.sleep(0.3)
    assert studio.send("GET", "/api/overview").status == 200
    time.sleep(0.3)
    logging.getLogger("uvicorn.error").removeHandler(caplog.handler)
    assert not caplog.records


def test_a_full_disk_is_told(studio, monkeypatch):
    def full(*_args):
        raise OSError(errno.ENOSPC, "No space left on device", "gold.jsonl")

    monkeypatch.setattr("shortlist.archive.os.fsync", full)
    for name, body in (("label", b'{"row": 1, "classes": ["sports"]}'), ("save", SAVE)):
        response = studio.send("POST", f"/api/{name}", body)
        assert response.status == 200
        assert "No space left on device" in json.loads(response.text)["error"]["message"]
    assert untouched(studio)


def test_it_listens_to_this_machine_only():
    with listening() as found:
        assert found.getsockname()[0] == "127.0.0.1"
        with pytest.raises(ShortlistError, match="--port"):
            listening(found.getsockname()[1])


def test_a_killed_studio_leaves_the_folder_whole(tmp_path):
    """Killed in the middle of its work, at some moment; the next one goes on."""
    make(tmp_path / "news", m=3000)
    for moment in (0.3, 1.0, 2.0):
        command = [sys.executable, "-m", "shortlist", "studio", str(tmp_path / "news"), "--no-browser"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    with running(tmp_path / "news") as studio:
        studio.enter()
        assert studio.until_open()["rows"] == 3000
