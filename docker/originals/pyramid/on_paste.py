import os

from hello import app
from paste.httpserver import serve

serve(
    app,
    host=os.environ["HOST"],
    port=os.environ["PORT"],
    threadpool_workers=int(os.environ["WORKERS"]),
    request_queue_size=1024,
)
