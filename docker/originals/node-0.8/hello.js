var http = require('http');

http.createServer(function (request, response) {
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 12 });
  response.end('Hello World\n');
}).listen(process.env.PORT, process.env.HOST, 1024);
