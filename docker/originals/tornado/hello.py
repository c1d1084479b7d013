import os

from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop
from tornado.web import Application, RequestHandler


class Hello(RequestHandler):
    def get(self):
        self.set_header("Content-Type", "text/plain")
        self.write(b"Hello World\n")

    head = get


application = Application([("/", Hello)], log_function=lambda handler: None)
server = HTTPServer(application)
server.bind(int(os.environ["PORT"]), os.environ["HOST"], backlog=1024)
server.start(int(os.environ["WORKERS"]))
IOLoop.current().start()
