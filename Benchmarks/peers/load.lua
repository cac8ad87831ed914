-- For wrk: asks for the paths in a file, one a line, in their order; prints the latencies as JSON.
-- Further arguments: `random` and what a client waits for between an answer and its next request, in milliseconds, on
-- average; or `even` and the milliseconds between one request and the next of any client.
local ffi = require("ffi")
local paths = {}
local place = 0
local threads = 0

function setup(thread)
    thread:set("number", threads)
    threads = threads + 1
end

function init(arguments)
    for line in io.lines(arguments[1]) do paths[#paths + 1] = line end
    place = number * math.floor(#paths / 2)
    local pace = { random = random, even = even }
    -- Without a pace there is no `delay`, for which wrk would set a timer before each request.
    if arguments[2] then pace[arguments[2]](tonumber(arguments[3])) end
end

-- Waits for between half and one and a half of the pause: in step, all clients would ask at once again and again.
function random(pause)
    math.randomseed(number + 1)
    function delay() return math.floor(pause * (0.5 + math.random())) end
end

-- Gives each client the next place on a time line; this thread has every second one.
function even(interval)
    local step, phase, turn = 2 * interval, number * interval, 0
    function delay()
        local now = milliseconds()
        turn = math.ceil((math.max(now, turn + step / 2) - phase) / step) * step + phase
        return math.floor(turn - now + 0.5)
    end
end

ffi.cdef("typedef struct { long seconds, nanoseconds; } moment; int clock_gettime(int clock, moment *now);")

function milliseconds()
    local now = ffi.new("moment")
    ffi.C.clock_gettime(1, now)
    return tonumber(now.seconds) * 1e3 + tonumber(now.nanoseconds) / 1e6
end

function request()
    place = place % #paths + 1
    return wrk.format("GET", paths[place])
end

function done(summary, latency)
    local errors = summary.errors
    print(string.format(
        '{"requests": %d, "elapsed": %d, "failed": %d, "p50": %d, "p99": %d, "p999": %d}',
        summary.requests, summary.duration,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout,
        latency:percentile(50), latency:percentile(99), latency:percentile(99.9)))
end
