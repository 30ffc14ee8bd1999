-- Which attempt took a lease: a number the client made up, so that an attempt without an answer can be taken back whenever
-- that arrives, and nothing else with it. Once the end of the lease was moved it is minus the number of the latest such change,
-- so that one that comes late finds that it was overtaken. Nodes of earlier versions leave it alone.
ALTER TABLE ${prefix}lock ADD COLUMN nonce BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ${prefix}unique_key ADD COLUMN nonce BIGINT NOT NULL DEFAULT 0;
