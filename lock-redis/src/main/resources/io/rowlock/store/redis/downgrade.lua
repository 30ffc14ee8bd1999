-- Makes an exclusive lease a reader's without a gap. The same request may come twice: then it gets what it has.
-- It has the token of all readers after the lease: with a smaller one, what another of them commits would refuse its commit.
-- ARGV: token of the lease, nonce of the reader, owner, ttl. Answers O, time, 1 if the reader is inside
-- prelude.lua
load(1)
evenIfFull()
local v = redis.call('HGET', R, ARGV[4])
if v then return {'O', time, reader(v) > now and 1 or 0} end
if f ~= tonumber(ARGV[3]) or u <= now then return {'O', time, 0} end
read(ARGV[5], ARGV[4], tonumber(ARGV[6]), 0)
free()
return {'O', time, 1}
