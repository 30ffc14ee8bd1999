-- The lock table. lock_key holds UTF-8 bytes: case, accents and trailing spaces count, and no collation decides.
-- slot 0 is the gate, the exclusive holder's row; any other slot is one shared holder.
CREATE TABLE ${prefix}lock (
    lock_key    VARBINARY(255) NOT NULL,
    slot        BIGINT         NOT NULL,
    shared      TINYINT        NOT NULL DEFAULT 0,
    owner       VARCHAR(100)   NOT NULL,
    fence       BIGINT         NOT NULL,
    acquired_at DATETIME(6)    NOT NULL,
    expires_at  DATETIME(6)    NOT NULL,
    PRIMARY KEY (lock_key, slot)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

-- The floor: no key is empty, so this row is nobody's gate. Its fence is the greatest token of any gate that was removed
-- because its key was idle; a gate that is made again starts above it, even if the clock was set back meanwhile.
INSERT INTO ${prefix}lock (lock_key, slot, shared, owner, fence, acquired_at, expires_at)
VALUES ('', 0, 0, '', 0, '1970-01-01', '1970-01-01');

-- The lock log: one row a grant.
CREATE TABLE ${prefix}lock_log (
    id            BIGINT       NOT NULL AUTO_INCREMENT,
    lock_key      VARCHAR(255) NOT NULL,
    mode          VARCHAR(9)   NOT NULL,
    owner         VARCHAR(100) NOT NULL,
    fence         BIGINT       NOT NULL,
    status        VARCHAR(9)   NOT NULL,
    acquired_at   DATETIME(6)  NOT NULL,
    completed_at  DATETIME(6),
    released_at   DATETIME(6),
    waited_micros BIGINT       NOT NULL,
    PRIMARY KEY (id),
    KEY ${prefix}lock_log_by_key (lock_key, acquired_at),
    KEY ${prefix}lock_log_by_age (acquired_at),
    KEY ${prefix}lock_log_by_status (status, acquired_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The lock table to read: keys as text, only what is held now, times in UTC.
CREATE VIEW ${prefix}locks_held AS
SELECT CONVERT(lock_key USING utf8mb4)                                AS lock_key,
       IF(slot = 0, 'EXCLUSIVE', 'SHARED')                            AS mode,
       owner,
       fence,
       acquired_at,
       expires_at,
       TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at) / 1e6 AS seconds_left
FROM ${prefix}lock
WHERE expires_at > UTC_TIMESTAMP(6);
