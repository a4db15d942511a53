-- The project leads the key; '' is no project's, and that of answers kept before.
ALTER TABLE answers ADD COLUMN project_id TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE answers DROP CONSTRAINT answers_pkey, ADD PRIMARY KEY (project_id, member, key);
