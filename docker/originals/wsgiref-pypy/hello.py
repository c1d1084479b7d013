import os
from wsgiref.simple_server import WSGIRequestHandler, make_server


def hello(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "12")])
    return [b"Hello World\n"]


class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass


make_server(os.environ["HOST"], int(os.environ["PORT"]), hello, handler_class=Quiet).serve_forever()
