-- Ends whatever an attempt or a place in the queue has brought, and nothing else. May come late and more than once.
-- ARGV: nonce. Answers O, time, 1 if a lease was ended
-- prelude.lua
load(1)
redis.call('ZREM', Q, ARGV[3])
redis.call('HDEL', W, ARGV[3])
local done
if u > 0 and n == ARGV[3] then
  done = 1
  free()
else
  done = leaveReaders(ARGV[3])
end
return {'O', time, done}
