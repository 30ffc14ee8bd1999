-- What somebody had to say of a grant: who released it by force, and why.
ALTER TABLE ${prefix}lock_log ADD COLUMN note VARCHAR(255);
