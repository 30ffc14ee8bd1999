-- Moves the end of a lease, in either direction. One that comes after a later one changes nothing.
-- ARGV: ttl, number of the change, 1 if the lease stays in use or 0 if it is only kept, mode, token, nonce.
-- Answers O, time, 1 if done
load(1)
local ttl, change, used = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local done = 0
if ARGV[6] == 'x' then
  if f == tonumber(ARGV[7]) and u > now and change > h then
    done = 1
    redis.call('HSET', G, 'u', s(now + ttl), 'h', s(change), 'b', used == '1' and b or '0')
    keep(G, ttl)
  end
else
  local v = redis.call('HGET', R, ARGV[8])
  if v then
    local ends, began, k, before, last, permits, who = reader(v)
    if ends > now and change > last then
      done = 1
      local use = used == '1' and before or '0'
      redis.call('HSET', R, ARGV[8], value(now + ttl, began, k, use, change, permits, who))
      keep(G, ttl)
      keep(R, ttl)
    end
  end
end
return {'O', s(now), done}
