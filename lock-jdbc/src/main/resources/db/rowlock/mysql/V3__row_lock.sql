-- The rows that strategy row-lock locks and never changes, two a key. slot -2 is the gate: whoever has it locked has the
-- key. slot -1 is the barrier, which a guarded transaction locks before it commits: whoever takes the gate must get past it.
-- The column gate is what lets a session pass the barrier without keeping it: READ COMMITTED unlocks a row that was read
-- and does not match.
CREATE TABLE ${prefix}row (
    lock_key VARBINARY(255) NOT NULL,
    slot     TINYINT        NOT NULL,
    gate     TINYINT        NOT NULL,
    PRIMARY KEY (lock_key, slot)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;
