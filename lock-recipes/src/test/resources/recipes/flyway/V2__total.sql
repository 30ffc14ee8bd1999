ALTER TABLE purchase ADD total INT;
