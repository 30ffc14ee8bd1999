--liquibase formatted sql

--changeset shop:1
CREATE TABLE purchase (id INT PRIMARY KEY AUTO_INCREMENT, price INT NOT NULL, amount INT NOT NULL);
INSERT INTO purchase (price, amount) VALUES (2, 3), (2, 3);
INSERT INTO purchase (price, amount) SELECT a.price, a.amount FROM purchase a JOIN purchase b JOIN purchase c JOIN purchase d JOIN purchase e JOIN purchase f;
INSERT INTO purchase (price, amount) SELECT a.price, a.amount FROM purchase a JOIN purchase b;

--changeset shop:2
ALTER TABLE purchase ADD total INT;
