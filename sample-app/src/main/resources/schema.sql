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
