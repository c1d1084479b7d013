import logging
import os

from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop
from tornado.web import Application, RequestHandler


class Hello(RequestHandler):
    def get(self):
        self.set_header("Content-Type", "text/plain")
        self.write("Hello World\n")

    head = get


logging.getLogger().setLevel(logging.ERROR)
HTTPServer(Application([("/", Hello)])).listen(int(os.environ["PORT"]), os.environ["HOST"])
IOLoop.instance().start()
