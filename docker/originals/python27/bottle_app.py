import os
from wsgiref.simple_server import WSGIServer

from bottle import response, route, run


@route("/")
def hello():
    response.content_type = "text/plain"
    return "Hello World\n"


# Bottle's own choice of server has a backlog of 5 otherwise.
WSGIServer.request_queue_size = 1024
run(host=os.environ["HOST"], port=int(os.environ["PORT"]), quiet=True)
