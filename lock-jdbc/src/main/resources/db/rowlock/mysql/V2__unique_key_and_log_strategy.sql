-- Which strategy took what a row of the log tells of. Until now there was one.
ALTER TABLE ${prefix}lock_log ADD COLUMN strategy VARCHAR(50) NOT NULL DEFAULT 'lease';

-- The locks of strategy unique-key: a row exists exactly while its key is locked, or until somebody removes what a dead
-- holder has left. The fencing tokens are numbers of the server's counter for this table, which never goes back, whatever
-- the clock does and though the rows go.
CREATE TABLE ${prefix}unique_key (
    lock_key    VARBINARY(255) NOT NULL,
    owner       VARCHAR(100)   NOT NULL,
    fence       BIGINT         NOT NULL AUTO_INCREMENT,
    acquired_at DATETIME(6)    NOT NULL,
    expires_at  DATETIME(6)    NOT NULL,
    PRIMARY KEY (lock_key),
    KEY ${prefix}unique_key_by_fence (fence)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

-- What takes a key locks the row of the key's stripe while it runs, so that tokens are drawn in the order in which keys are
-- taken. At most 1,024 rows, each made when it is first needed.
CREATE TABLE ${prefix}unique_key_stripe (
    stripe SMALLINT NOT NULL,
    PRIMARY KEY (stripe)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

-- The counter starts at the time, so that it is ahead of what it was should the table ever be made anew.
INSERT INTO ${prefix}unique_key (lock_key, owner, fence, acquired_at, expires_at)
VALUES ('', '', TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)), '1970-01-01', '1970-01-01');
DELETE FROM ${prefix}unique_key WHERE lock_key = '';

-- The locks of all tables to read: keys as text, only what is held now, times in UTC.
CREATE OR REPLACE VIEW ${prefix}locks_held AS
SELECT CONVERT(lock_key USING utf8mb4)                                AS lock_key,
       IF(slot = 0, 'EXCLUSIVE', 'SHARED')                            AS mode,
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
