-- The row table comes first: start-up takes a lock table without column created_on of this one for a snapshot's.
-- The rows that strategies row-lock and transaction lock and never change. slot -2 is the gate: whoever has it locked has the
-- key. slot -1 is the barrier, which a guarded transaction locks before it commits: whoever acquires the gate must get past it.
-- slot 0 is the row of strategy transaction.
-- The column gate is what lets a session pass the barrier without keeping it: READ COMMITTED unlocks a row that was read
-- and does not match. created_on is in UTC, for the clean-up: as rows are never changed, none can say when it was last used.
CREATE TABLE ${prefix}row (
    lock_key   VARBINARY(255) NOT NULL,
    slot       TINYINT        NOT NULL,
    gate       TINYINT        NOT NULL,
    created_on DATE           NOT NULL,
    PRIMARY KEY (lock_key, slot)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

-- The locks of strategy lease. lock_key holds UTF-8 bytes: case, accents and trailing spaces count, and no collation decides.
-- slot 0 is the gate, the exclusive holder's row; any other slot is one shared holder, or one permit.
-- nonce: which attempt acquired the gate, a number the client made up, so that an attempt without an answer can be revoked
-- whenever that arrives, and nothing else with it.
-- permits: how many permits of its key there may be with the one that this row is; zero for a gate and for a shared holder.
CREATE TABLE ${prefix}lock (
    lock_key    VARBINARY(255) NOT NULL,
    slot        BIGINT         NOT NULL,
    shared      TINYINT        NOT NULL DEFAULT 0,
    owner       VARCHAR(100)   NOT NULL,
    fence       BIGINT         NOT NULL,
    acquired_at DATETIME(6)    NOT NULL,
    expires_at  DATETIME(6)    NOT NULL,
    nonce       BIGINT         NOT NULL DEFAULT 0,
    permits     SMALLINT       NOT NULL DEFAULT 0,
    PRIMARY KEY (lock_key, slot)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

-- The floor: no key is empty, so this row is nobody's gate. Its fence is the greatest token of any gate that was removed
-- because its key was idle; a gate that is created again starts above it, even if the clock was set back meanwhile.
INSERT INTO ${prefix}lock (lock_key, slot, shared, owner, fence, acquired_at, expires_at)
VALUES ('', 0, 0, '', 0, '1970-01-01', '1970-01-01');

-- The locks of strategy unique-key: a row exists exactly while its key is locked, or until somebody removes what a dead
-- holder has left. The fencing tokens are numbers of the server's counter for this table, which never goes back, whatever
-- the clock does and though the rows go. nonce is as above.
CREATE TABLE ${prefix}unique_key (
    lock_key    VARBINARY(255) NOT NULL,
    owner       VARCHAR(100)   NOT NULL,
    fence       BIGINT         NOT NULL AUTO_INCREMENT,
    acquired_at DATETIME(6)    NOT NULL,
    expires_at  DATETIME(6)    NOT NULL,
    nonce       BIGINT         NOT NULL DEFAULT 0,
    PRIMARY KEY (lock_key),
    KEY ${prefix}unique_key_by_fence (fence)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

-- The counter starts at the time, so that it is ahead of what it was should the table ever be created anew.
INSERT INTO ${prefix}unique_key (lock_key, owner, fence, acquired_at, expires_at)
VALUES ('', '', TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)), '1970-01-01', '1970-01-01');
DELETE FROM ${prefix}unique_key WHERE lock_key = '';

-- An attempt of strategy unique-key locks the row of the key's stripe while it runs, so that tokens are drawn in the order in
-- which keys are acquired. At most 1,024 rows, each created when it is first needed.
CREATE TABLE ${prefix}unique_key_stripe (
    stripe SMALLINT NOT NULL,
    PRIMARY KEY (stripe)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

-- For locks that are kept outside of this database: the greatest token of each key that a transaction here has relied on, and since
-- when. A transaction locks the row of each of its locks, with its first statements, until it has ended.
CREATE TABLE ${prefix}fence (
    lock_key VARBINARY(255) NOT NULL,
    token    BIGINT         NOT NULL,
    seen_at  DATETIME(6)    NOT NULL,
    PRIMARY KEY (lock_key)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

-- The receiving half of fencing: the greatest token of each key that a call came with, and since when. A transaction that requires a
-- token locks the row until it has ended. No row is removed by age: a call may be late by any time.
CREATE TABLE ${prefix}token (
    lock_key VARBINARY(255) NOT NULL,
    token    BIGINT         NOT NULL,
    seen_at  DATETIME(6)    NOT NULL,
    PRIMARY KEY (lock_key)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

-- The lock log: one row a grant. note: who released it by force, and why. A grant that has not ended has no released_at.
CREATE TABLE ${prefix}lock_log (
    id            BIGINT       NOT NULL AUTO_INCREMENT,
    lock_key      VARCHAR(255) NOT NULL,
    strategy      VARCHAR(50)  NOT NULL,
    mode          VARCHAR(9)   NOT NULL,
    owner         VARCHAR(100) NOT NULL,
    fence         BIGINT       NOT NULL,
    status        VARCHAR(9)   NOT NULL,
    acquired_at   DATETIME(6)  NOT NULL,
    completed_at  DATETIME(6),
    released_at   DATETIME(6),
    waited_micros BIGINT       NOT NULL,
    note          VARCHAR(255),
    PRIMARY KEY (id),
    KEY ${prefix}lock_log_by_key (lock_key, acquired_at),
    KEY ${prefix}lock_log_by_age (acquired_at),
    KEY ${prefix}lock_log_by_owner (owner, acquired_at),
    KEY ${prefix}lock_log_by_end (released_at, acquired_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The locks of all tables to read: keys as text, only what is held now, times in UTC. It needs the rights of its reader, not of
-- the user who created it, so it shows nothing that its reader may not see and outlives that user.
CREATE SQL SECURITY INVOKER VIEW ${prefix}locks_held AS
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
