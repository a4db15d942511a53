-- The profile that sessions of a folder are read by, where a person named one; else their project's.
ALTER TABLE connections ADD COLUMN profile TEXT NOT NULL DEFAULT '';
