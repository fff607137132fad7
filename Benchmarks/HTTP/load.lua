-- Sends the requests of a file, one after the other and round again, from some number on, and prints
-- what came of them.
--
-- The requests are bytes, made before: whatever they ask for, and whoever answers, a request costs
-- this client one look into a table.
local requests, next_request = {}, 0

function init(arguments)
    local file = assert(io.open(arguments[1], "rb"))
    while true do
        local length = file:read("*l")
        if not length then break end
        requests[#requests + 1] = file:read(tonumber(length))
    end
    file:close()
    next_request = tonumber(arguments[2]) % #requests
end

function request()
    next_request = next_request % #requests + 1
    return requests[next_request]
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        'RESULT {"requests":%d,"microseconds":%d,"bytes":%d,"refused":%d,"broken":%d,' ..
        '"p50":%d,"p99":%d}\n',
        summary.requests, summary.duration, summary.bytes, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50), latency:percentile(99)))
end
