-- Ends a lease whose token is smaller than one that was seen: this server has lost its data, and its clock is behind. The next token
-- is greater than what was seen, also if the key is idle until its clock has caught up. Of no effect if the key has been granted anew
-- since. May come late and more than once.
-- ARGV: mode, token, nonce, token that was seen. Answers O, time, 1 if the lease was ended
-- prelude.lua
load(1)
evenIfFull()
local seen = tonumber(ARGV[6])
if ARGV[3] == 'x' then
  if f ~= tonumber(ARGV[4]) then return {'O', time, 0} end
  f = math.max(f, seen)
  redis.call('HSET', G, 'f', s(f), 'k', s(f + ROOM - 1))
  keep(G, f - now)
  free()
  return {'O', time, 1}
end
if not redis.call('HGET', R, ARGV[5]) then return {'O', time, 0} end
if tonumber(redis.call('HGET', G, 'k') or 0) < seen then -- else it was raised for another reader
  if u <= now then f = math.max(f, seen) end -- else the writer that waits for the readers has the token by which it is called
  redis.call('HSET', G, 'f', s(f), 'k', s(f + ROOM - 1))
  keep(G, f - now)
end
return {'O', time, leaveReaders(ARGV[5])}
