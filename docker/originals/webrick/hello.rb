require 'webrick'

server = WEBrick::HTTPServer.new(BindAddress: ENV['HOST'], Port: ENV['PORT'], AccessLog: [],
                                 Logger: WEBrick::Log.new($stderr, WEBrick::Log::WARN))
server.mount_proc '/' do |request, response|
  response.content_type = 'text/plain'
  response.body = "Hello World\n"
end
%w[INT TERM].each { |signal| trap(signal) { server.shutdown } }
server.start
