CREATE TABLE IF NOT EXISTS sample_item (
    id    BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    stock INT    NOT NULL
);

CREATE TABLE IF NOT EXISTS sample_sale (
    id      BIGINT      NOT NULL AUTO_INCREMENT PRIMARY KEY,
    item_id BIGINT      NOT NULL,
    node    VARCHAR(20) NOT NULL,
    FOREIGN KEY (item_id) REFERENCES sample_item (id)
);

CREATE TABLE IF NOT EXISTS sample_debt (
    id          BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    outstanding BIGINT NOT NULL CHECK (outstanding >= 0)
);

CREATE TABLE IF NOT EXISTS sample_claim (
    debt_id  BIGINT NOT NULL,
    creditor INT    NOT NULL,
    cents    BIGINT NOT NULL CHECK (cents >= 0),
    PRIMARY KEY (debt_id, creditor),
    FOREIGN KEY (debt_id) REFERENCES sample_debt (id)
);

CREATE TABLE IF NOT EXISTS sample_booking (
    id       BIGINT      NOT NULL AUTO_INCREMENT PRIMARY KEY,
    debt_id  BIGINT      NOT NULL,
    creditor INT         NOT NULL,
    reason   VARCHAR(10) NOT NULL,
    cents    BIGINT      NOT NULL,
    FOREIGN KEY (debt_id, creditor) REFERENCES sample_claim (debt_id, creditor)
);

CREATE TABLE IF NOT EXISTS sample_account (
    id    BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    cents BIGINT NOT NULL
);

CREATE TABLE IF NOT EXISTS sample_withdrawal (
    id         BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    account_id BIGINT NOT NULL,
    cents      BIGINT NOT NULL,
    FOREIGN KEY (account_id) REFERENCES sample_account (id)
);

CREATE TABLE IF NOT EXISTS sample_job (
    id   BIGINT      NOT NULL AUTO_INCREMENT PRIMARY KEY,
    node VARCHAR(20) NOT NULL,
    term BIGINT      NOT NULL,
    at   DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6))
);

CREATE TABLE IF NOT EXISTS sample_night (
    id    BIGINT      NOT NULL AUTO_INCREMENT PRIMARY KEY,
    night BIGINT      NOT NULL,
    node  VARCHAR(20) NOT NULL
);

CREATE TABLE IF NOT EXISTS sample_batch (
    id      BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    reports INT    NOT NULL
);

CREATE TABLE IF NOT EXISTS sample_report (
    id       BIGINT      NOT NULL AUTO_INCREMENT PRIMARY KEY,
    batch_id BIGINT      NOT NULL,
    node     VARCHAR(20) NOT NULL,
    begun_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
    done_at  DATETIME(6),
    FOREIGN KEY (batch_id) REFERENCES sample_batch (id)
);
