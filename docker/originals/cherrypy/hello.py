import os
import threading

import cherrypy


class Hello:
    @cherrypy.expose
    @cherrypy.tools.allow(methods=["GET", "HEAD"])
    def index(self):
        cherrypy.response.headers["Content-Type"] = "text/plain"
        return b"Hello World\n"


# For an experiment with the memory of threads; the system's own size otherwise.
if os.environ.get("STACK_SIZE"):
    threading.stack_size(int(os.environ["STACK_SIZE"]))

cherrypy.config.update(
    {
        "environment": "production",
        "server.socket_host": os.environ["HOST"],
        "server.socket_port": int(os.environ["PORT"]),
        "server.socket_queue_size": 1024,
        "server.thread_pool": int(os.environ["WORKERS"]),
        "log.screen": False,
        "tools.encode.on": False,
    }
)
cherrypy.quickstart(Hello())
