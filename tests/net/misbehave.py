#!/usr/bin/env python3
"""A chat endpoint that misbehaves on command. It listens on a free port of this machine, prints the port, and ends when
its standard input does.

POST /NAME/STEPS/v1/chat/completions follows a script: STEPS are joined by "," and used one a request, the last one for
all that follow. NAME keeps the requests of tests apart. A step is an action with options after ":", joined by "+":
  ok:TEXT            an answer with these words; %20 is a space
  draws:A|B|C        the words by turns
  sure:TEXT          an answer whose probabilities are planted: .5 on 4, .3 on 5, .1 on " 3", the rest elsewhere
  echo               the rating is the number of "warm" in the question
  status:N[:TEXT]    an error status; its body holds a marker that no message may repeat
  after:SECONDS      429 with Retry-After; date:SECONDS the same as a date
  reject:FIELD       400 while the question has that field, as servers say it, otherwise ok:4
  context            400, the text is too long
  html, empty, half, array, stream, error200, huge, redirect, junk
  hang:SECONDS       no answer for so long, then ok:4; drip:SECONDS one byte each; cut: closes half way; reset
  key:WORD           401 unless that is the bearer token, then ok:4
GET /NAME/log gives what was asked: times, bodies, headers, and how many were under way at once, at most."""
import email.utils
import http.server
import json
import socket
import struct
import sys
import threading
import time
import urllib.parse

MARKER = "k9-private-words"
LOCK = threading.Lock()
LOGS = {}


class Log:
    def __init__(self):
        self.requests, self.now, self.most = [], 0, 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement

    def log_message(self, *_):
        pass

    def send(self, status, body, headers=(), kind="application/json"):
        data = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def answer(self, words, logprobs=None, finish="stop"):
        choice = {"index": 0, "message": {"role": "assistant", "content": words}, "logprobs": logprobs, "finish_reason": finish}
        return json.dumps({"id": "x", "object": "chat.completion", "choices": [choice],
                           "usage": {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}})

    def do_GET(self):
        log = LOGS.setdefault(self.path.split("/")[1], Log())
        self.send(200, json.dumps({"most": log.most, "requests": log.requests}))

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        _, name, script = self.path.split("/")[:3]
        with LOCK:
            log = LOGS.setdefault(name, Log())
            turn = len(log.requests)
            log.requests.append({"at": time.monotonic(), "body": body.decode(), "path": self.path,
                                 "authorization": self.headers.get("Authorization", ""),
                                 "headers": sorted(k.lower() for k in self.headers.keys())})
            log.now += 1
            log.most = max(log.most, log.now)
        steps = script.split(",")
        try:
            for part in urllib.parse.unquote(steps[min(turn, len(steps) - 1)]).split("+"):
                self.act(part, turn, json.loads(body))
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            with LOCK:
                log.now -= 1

    def act(self, part, turn, asked):
        action, _, value = part.partition(":")
        if action == "ok":
            self.send(200, self.answer(value))
        elif action == "wait":
            time.sleep(float(value))
        elif action == "draws":
            words = value.split("|")
            self.send(200, self.answer(words[turn % len(words)]))
        elif action == "sure":
            top = [{"token": t, "logprob": p, "bytes": list(t.encode())}
                   for t, p in (("4", -0.6931471805599453), ("5", -1.2039728043259361), (" 3", -2.302585092994046), ("I", -3.5))]
            self.send(200, self.answer(value, {"content": [{**top[0], "top_logprobs": top + [{"token": str(i) + "x", "logprob": -9999.0} for i in range(3)]}]}
                                       if asked.get("logprobs") else None))
        elif action == "echo":
            self.send(200, self.answer(str(asked["messages"][0]["content"].count("warm"))))
        elif action == "status":
            status, _, text = value.partition(":")
            self.send(int(status), json.dumps({"error": {"message": MARKER + " " + text, "code": text or None}}))
        elif action == "after":
            self.send(429, MARKER, [("Retry-After", value)])
        elif action == "date":
            self.send(429, MARKER, [("Retry-After", email.utils.formatdate(time.time() + float(value), usegmt=True))])
        elif action == "reject":
            if value in asked:
                self.send(400, json.dumps({"error": {"message": f"Unsupported parameter: '{value}' is not supported with this model. {MARKER}", "param": value, "code": "unsupported_parameter"}}))
            else:
                self.send(200, self.answer("4"))
        elif action == "context":
            self.send(400, json.dumps({"error": {"message": MARKER, "code": "context_length_exceeded"}}))
        elif action == "html":
            self.send(200, f"<!doctype html><html><body><h1>4 or 5 {MARKER}</h1></body></html>", kind="text/html")
        elif action == "empty":
            self.send(200, "")
        elif action == "half":
            self.send(200, self.answer(MARKER + " 4")[:90])
        elif action == "array":
            self.send(200, "[4]")
        elif action == "stream":
            self.send(200, 'data: {"choices":[{"delta":{"content":"4"}}]}\n\ndata: [DONE]\n\n', kind="text/event-stream")
        elif action == "error200":
            self.send(200, json.dumps({"error": {"message": MARKER}}))
        elif action == "huge":
            self.send(200, b" " * (6 << 20))
        elif action == "redirect":
            self.send(307, MARKER, [("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere/ok:4/v1/chat/completions")])
        elif action == "junk":
            self.wfile.write(b"this is no HTTP at all: 4\r\n\r\n")
            self.close_connection = True
        elif action == "hang":
            time.sleep(float(value))
            self.send(200, self.answer("4"))
        elif action == "drip":
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            for _ in range(1000):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(float(value))
        elif action == "cut":
            data = self.answer("4").encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[:40])
            self.close_connection = True
        elif action == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
        elif action == "key":
            good = self.headers.get("Authorization") == "Bearer " + value
            self.send(200 if good else 401, self.answer("4") if good else json.dumps({"error": {"message": f"Incorrect key {self.headers.get('Authorization')} {MARKER}"}}))
        else:
            self.send(599, "unknown action")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass


def main():
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()


main()
