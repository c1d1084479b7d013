-- Prints what wrk counted, exactly, as one line of JSON after its report, whose figures are rounded for people.
-- With `request`, `response` or `delay` wrk would run Lua for every request: `setup`, `init` and `done` run once.

-- The Lua state of a thread cannot be seen from `done` but through the thread.
local first

function setup(thread)
  first = first or thread
end

-- wrk formats one request and sends it again and again. With a depth (`wrk … URL -- 16`) it is that many at once;
-- wrk then parses its own request to learn how many answers to wait for.
function init(args)
  depth = tonumber(args[1]) or 1
  local one = wrk.format
  function wrk.format(...)
    return one(...):rep(depth)
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  local any = #latency > 0
  local function us(value)
    return any and string.format("%.3f", value) or "null"
  end
  io.write(string.format(
    '{"hello-bench":1,"depth":%.0f,"requests":%.0f,"duration_us":%.0f,"bytes":%.0f,' ..
    '"connect":%.0f,"read":%.0f,"write":%.0f,"timeout":%.0f,"status":%.0f,' ..
    '"min":%s,"mean":%s,"max":%s,"p50":%s,"p75":%s,"p90":%s,"p99":%s}\n',
    first:get("depth"), summary.requests, summary.duration, summary.bytes,
    errors.connect, errors.read, errors.write, errors.timeout, errors.status,
    us(latency.min), us(latency.mean), us(latency.max), us(latency:percentile(50)),
    us(latency:percentile(75)), us(latency:percentile(90)), us(latency:percentile(99))))
end
