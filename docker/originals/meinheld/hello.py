import os

from meinheld import server


def hello(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "12")])
    return [b"Hello World\n"]


server.set_access_logger(None)
server.set_backlog(1024)
server.set_keepalive(10)
server.listen((os.environ["HOST"], int(os.environ["PORT"])))
server.run(hello)
