-- How many permits of its key there may be with the one that this row is; zero for a gate and for a shared holder. Nodes of
-- earlier versions take permits for shared holders.
ALTER TABLE ${prefix}lock ADD COLUMN permits SMALLINT NOT NULL DEFAULT 0;

-- The locks of all tables to read: keys as text, only what is held now, times in UTC.
CREATE OR REPLACE VIEW ${prefix}locks_held AS
SELECT CONVERT(lock_key USING utf8mb4)                                AS lock_key,
       IF(slot = 0, 'EXCLUSIVE', IF(permits > 0, 'PERMIT', 'SHARED')) AS mode,
       owner,
       fence,
       acquired_at,
       expires_at,
       TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at) / 1e6 AS seconds_left,
       'lease'                                                        AS strategy
FROM ${prefix}lock
WHERE expires_at > UTC_TIMESTAMP(6)
UNION ALL
SELECT CONVERT(lock_key USING utf8mb4),
       'EXCLUSIVE',
       owner,
       fence,
       acquired_at,
       expires_at,
       TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at) / 1e6,
       'unique-key'
FROM ${prefix}unique_key
WHERE expires_at > UTC_TIMESTAMP(6);
