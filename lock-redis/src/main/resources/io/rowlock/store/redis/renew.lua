-- Has leases last for the ttl from now, unless they last longer or have expired. May come late and more than once.
-- ARGV: ttl, then mode, token, nonce of each key. Answers O, time, then 1 or 0 for each
-- prelude.lua
local ttl = tonumber(ARGV[3])
local out = {'O', time}
evenIfFull()
for i = 1, #KEYS / 4 do
  load(i)
  local mode, token, nonce = ARGV[3 * i + 1], tonumber(ARGV[3 * i + 2]), ARGV[3 * i + 3]
  local done = 0
  if mode == 'x' then
    if f == token and u > now then
      done = 1
      if b == '1' and now + ttl > u then
        redis.call('HSET', G, 'u', s(now + ttl))
        keep(G, ttl)
      end
    end
  else
    local v = redis.call('HGET', R, nonce)
    if v then
      local ends, began, k, used, permits, who = reader(v)
      if ends > now then
        done = 1
        if used == '1' and now + ttl > ends then
          redis.call('HSET', R, nonce, value(now + ttl, began, k, '1', permits, who))
          keep(G, ttl)
          keep(R, ttl)
        end
      end
    end
  end
  out[i + 2] = done
end
return out
