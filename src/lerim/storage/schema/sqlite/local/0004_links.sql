-- The context graph: how the records that hold bear on each other. Derived like all that is here: deleted, it comes back
-- from the records.

-- Every record that is linked, or may be.
CREATE TABLE linked_records (
  project_id TEXT NOT NULL,
  record_seq INTEGER NOT NULL,
  record_id  TEXT NOT NULL,
  -- The records that are nearest in meaning, and how near each is. NULL while its vector is not made.
  near       BLOB,
  cluster    TEXT,
  -- 0: its links changed since clusters were last looked for.
  clustered  INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, record_seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX linked_records_by_id ON linked_records (project_id, record_id);
CREATE INDEX linked_records_waiting ON linked_records (project_id) WHERE near IS NULL;
CREATE INDEX linked_records_unclustered ON linked_records (project_id) WHERE clustered = 0;

-- The names of code, files and things that a record speaks of.
CREATE TABLE linked_names (
  project_id TEXT NOT NULL,
  name       TEXT NOT NULL,
  record_seq INTEGER NOT NULL,
  PRIMARY KEY (project_id, name, record_seq)
) WITHOUT ROWID;
CREATE INDEX linked_names_by_record ON linked_names (project_id, record_seq);

-- One link a pair at most. Of all that were found, each record keeps only its strongest.
CREATE TABLE links (
  project_id TEXT NOT NULL,
  source     TEXT NOT NULL,
  target     TEXT NOT NULL,
  kind       TEXT NOT NULL,
  confidence REAL NOT NULL,
  reason     TEXT NOT NULL,
  is_kept    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, source, target)
) WITHOUT ROWID;
CREATE INDEX links_by_target ON links (project_id, target);

CREATE TABLE link_clusters (
  project_id TEXT NOT NULL,
  id         TEXT NOT NULL,
  label      TEXT NOT NULL,
  -- The record that the others are tied to most.
  center     TEXT NOT NULL,
  PRIMARY KEY (project_id, id)
) WITHOUT ROWID;
