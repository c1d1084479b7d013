import os

from paste.httpserver import serve


def hello(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "12")])
    return [b"Hello World\n"]


serve(
    hello,
    host=os.environ["HOST"],
    port=os.environ["PORT"],
    threadpool_workers=int(os.environ["WORKERS"]),
    request_queue_size=1024,
)
