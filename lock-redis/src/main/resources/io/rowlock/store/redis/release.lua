-- Ends a lease and hands its key to those who wait. Names the lease, so it may come late and more than once.
-- ARGV: mode, token, nonce. Answers O, time, 1 if it was there, how many wait
load(1)
local done = 0
if ARGV[3] == 'x' then
  if f == tonumber(ARGV[4]) and u > 0 then
    done = 1
    free()
  else
    advance('')
  end
else
  done = leaveReaders(ARGV[5])
end
return {'O', s(now), done, w == '1' and redis.call('ZCARD', Q) or 0}
