run ->(env) { [200, { 'Content-Type' => 'text/plain', 'Content-Length' => '12' }, ["Hello World\n"]] }
