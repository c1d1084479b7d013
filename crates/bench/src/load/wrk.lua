-- Prints what wrk counted, exactly, as one line of JSON after its report, whose figures are rounded for people.
-- Only `done` is defined: with `request`, `response` or `delay` wrk would run Lua for every request.
function done(summary, latency, requests)
  local errors = summary.errors
  local any = #latency > 0
  local function us(value)
    return any and string.format("%.3f", value) or "null"
  end
  io.write(string.format(
    '{"hello-bench":1,"requests":%.0f,"duration_us":%.0f,"bytes":%.0f,' ..
    '"connect":%.0f,"read":%.0f,"write":%.0f,"timeout":%.0f,"status":%.0f,' ..
    '"min":%s,"mean":%s,"max":%s,"p50":%s,"p75":%s,"p90":%s,"p99":%s}\n',
    summary.requests, summary.duration, summary.bytes,
    errors.connect, errors.read, errors.write, errors.timeout, errors.status,
    us(latency.min), us(latency.mean), us(latency.max), us(latency:percentile(50)),
    us(latency:percentile(75)), us(latency:percentile(90)), us(latency:percentile(99))))
end
