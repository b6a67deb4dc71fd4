-- wrk's requests and its report as JSON. KIND: hold or booking on random lines of TARGETS ("slug date"); else the URL is read,
-- with VISITORS from another address each time.
local kind, key = os.getenv('KIND'), os.getenv('KEY')
if kind then
  local targets = {}
  for line in io.lines(os.getenv('TARGETS')) do targets[#targets + 1] = line end
  math.randomseed(tonumber(os.getenv('SEED')))
  local headers = { ['content-type'] = 'application/json', authorization = 'Bearer ' .. key }
  request = function()
    local slug, date = targets[math.random(#targets)]:match('(%S+) (%S+)')
    local ref = 'w' .. math.random(1e9)
    if kind == 'booking' then
      headers['idempotency-key'] = 'k' .. math.random(1e9) .. math.random(1e9)
      return wrk.format('POST', '/api/tenant/bookings', headers, '{"tour_id":"' .. slug .. '","departure_date":"' .. date ..
        '","adults":1,"name":"Ana Lima","phone":"+49 30 901820","email":"ana@example.com","external_ref":"' .. ref .. '"}')
    end
    return wrk.format('POST', '/api/gateway/tours/' .. slug .. '/hold', headers, '{"departure_date":"' .. date ..
      '","quantity":1,"hold_minutes":10,"external_ref":"' .. ref .. '"}')
  end
end
if os.getenv('VISITORS') then
  request = function()
    wrk.headers['x-forwarded-for'] = '203.' .. math.random(255) .. '.' .. math.random(255) .. '.' .. math.random(255)
    return wrk.format()
  end
end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('\n{"requests":%d,"seconds":%f,"refused":%d,"broken":%d,"p50":%f,"p99":%f}\n',
    summary.requests, summary.duration / 1e6, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
