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
