"""A server of the OpenAI protocol on localhost whose answers are known, and which misbehaves as it is told to."""

from __future__ import annotations

import hashlib
import json
import math
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WORDS = ("yes", "no", "person", "place", "number", "Paris", "Rome")
Reaction = Callable[["Request"], None]


def share(prompt: str, word: str) -> float:
    """How likely a word is after a prompt: known, and different for each."""
    digest = hashlib.sha256(f"{prompt}|{word.strip()}".encode()).digest()
    return 0.01 + 0.12 * digest[0] / 255


def prompt_of(body: dict[str, Any]) -> str:
    if "prompt" in body:
        return body["prompt"] if isinstance(body["prompt"], str) else body["prompt"][0]
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else content[0]["text"]


class Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Nothing on the screen."""

    def do_POST(self) -> None:
        server: FakeServer = self.server.owner  # type: ignore[attr-defined]
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if not content:
            return  # whoever asked was killed while asking
        self.body = json.loads(content)
        self.prompt = prompt_of(self.body)
        with server.lock:
            server.requests.append((self.path, self.body, dict(self.headers)))
            server.running.add(self)
            server.most = max(server.most, len(server.running))
            reaction = server.reactions.pop(0) if server.reactions else None
        try:
            (reaction or server.behave)(self)
        except (BrokenPipeError, ConnectionResetError):
            pass  # whoever asked was killed, or waits no longer
        finally:
            with server.lock:
                server.running.discard(self)

    def reply(self, status: int, content: Any, **headers: str) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        with self.server.owner.lock:  # type: ignore[attr-defined]
            self.server.owner.running.discard(self)  # type: ignore[attr-defined]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        if status == 200:
            with self.server.owner.lock:  # type: ignore[attr-defined]
                self.server.owner.answered.append(self.prompt)  # type: ignore[attr-defined]


class ManyAtOnce(ThreadingHTTPServer):
    """Several processes connect at a time, each with several requests."""

    daemon_threads = True
    request_queue_size = 128


class FakeServer:
    """`with FakeServer() as server:` an address, what was asked, and reactions to the next requests."""

    def __init__(self, behave: Reaction | None = None) -> None:
        self.behave = behave or content_style
        self.reactions: list[Reaction] = []  # to the next requests; then `behave`
        self.requests: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        self.answered: list[str] = []
        self.lock = threading.Lock()
        self.running: set[Request] = set()
        self.most = 0
        self._server = ManyAtOnce(("127.0.0.1", 0), Request)
        self._server.owner = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> FakeServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def asked(self) -> list[str]:
        """The prompts of all requests."""
        return [prompt_of(body) for _, body, _ in self.requests]


# -- how servers answer --------------------------------------------------------------------------------


def top(request: Request, words: tuple[str, ...] = WORDS) -> list[dict[str, Any]]:
    return [{"token": f" {word}", "logprob": math.log(share(request.prompt, word))} for word in words]


USAGE = {"prompt_tokens": 10, "completion_tokens": 1}


def content_style(request: Request) -> None:
    """llama.cpp and chats: a list of places, each with its likeliest tokens. Completions and chats alike."""
    if "logprobs" not in request.body:
        message = {"role": "assistant", "content": "I would say yes, of course"}
        request.reply(200, {"choices": [{"message": message, "finish_reason": "stop"}], "usage": USAGE})
        return
    told = {"content": [{"token": " x", "logprob": -1.0, "top_logprobs": top(request)}]}
    choice = {"text": " x", "logprobs": told, "finish_reason": "length"}
    request.reply(200, {"choices": [choice], "usage": USAGE})


def legacy_style(request: Request) -> None:
    """Older completions, and vLLM: a mapping from token to log-probability. No chat."""
    if request.path.endswith("chat/completions"):
        request.reply(404, {"detail": "Not Found"})
        return
    if request.body["logprobs"] > 20:
        request.reply(400, {"object": "error", "message": "logprobs must be at most 20"})
        return
    likely = {one["token"]: one["logprob"] for one in top(request)}
    choice = {"text": " x", "logprobs": {"tokens": [" x"], "token_logprobs": [-1.0], "top_logprobs": [likely]}}
    request.reply(200, {"choices": [choice], "usage": USAGE})


def chat_style(request: Request) -> None:
    """Hosted chats: no completions; log-probabilities of chats; refusals in a field of their own."""
    if not request.path.endswith("chat/completions"):
        request.reply(404, {"error": {"message": "use chat", "code": "not_found"}})
        return
    content_style(request)


def free_style(request: Request) -> None:
    """Only chats, and no log-probabilities: those that are asked for are left out without a word."""
    if not request.path.endswith("chat/completions"):
        request.reply(400, {"error": {"message": "unsupported"}})
        return
    request.reply(200, {"choices": [{"message": {"content": "It is a place."}}], "usage": USAGE})


# -- how they misbehave --------------------------------------------------------------------------------


def status(code: int, content: Any = None, **headers: str) -> Reaction:
    said = {"error": {"message": f"that is {code}"}} if content is None else content
    return lambda request: request.reply(code, said, **headers)


def slow(seconds: float) -> Reaction:
    def react(request: Request) -> None:
        time.sleep(seconds)
        content_style(request)

    return react


def cut_off(request: Request) -> None:
    """The connection ends in the middle of the answer."""
    request.send_response(200)
    request.send_header("Content-Length", "1000")
    request.end_headers()
    request.wfile.write(b'{"choices": [{"te')
    request.close_connection = True


def hang_up(request: Request) -> None:
    """The connection ends before the answer."""
    request.close_connection = True


def broken(request: Request) -> None:
    """What comes back is no JSON."""
    data = b'{"choices": [}'
    request.send_response(200)
    request.send_header("Content-Length", str(len(data)))
    request.end_headers()
    request.wfile.write(data)


def refusal(request: Request) -> None:
    message = {"content": None, "refusal": "I cannot help with that"}
    request.reply(200, {"choices": [{"message": message, "finish_reason": "stop"}], "usage": USAGE})


def elsewhere(request: Request) -> None:
    """None of the choices is among the likeliest tokens."""
    told = {"content": [{"top_logprobs": top(request, ("banana", "potato"))}]}
    request.reply(200, {"choices": [{"text": " banana", "logprobs": told}], "usage": USAGE})
