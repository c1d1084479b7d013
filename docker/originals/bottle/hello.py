import os

from bottle import response, route, run


@route("/")
def hello():
    response.content_type = "text/plain"
    return "Hello World\n"


run(host=os.environ["HOST"], port=int(os.environ["PORT"]), quiet=True)
