-- For locks that are kept outside of this database: the greatest token of each key that a transaction here has relied on, and since
-- when. A transaction locks the row of each of its locks, with its first statements, until it has ended.
CREATE TABLE ${prefix}fence (
    lock_key VARBINARY(255) NOT NULL,
    token    BIGINT         NOT NULL,
    seen_at  DATETIME(6)    NOT NULL,
    PRIMARY KEY (lock_key)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;
