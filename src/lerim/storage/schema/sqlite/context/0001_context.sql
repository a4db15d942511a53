-- The Context Store: one database for all projects, rows scoped by project.

CREATE TABLE projects (
  id      TEXT PRIMARY KEY,
  root    TEXT NOT NULL UNIQUE,
  name    TEXT NOT NULL,
  created TEXT NOT NULL
);

-- Where a project used to be, before it was moved or renamed: its older sessions still name that place.
CREATE TABLE former_roots (
  root       TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE
) WITHOUT ROWID;

-- The sessions that left a summary. Which sessions exist at all is the catalog's business.
CREATE TABLE sessions (
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  agent      TEXT NOT NULL,
  run_id     TEXT NOT NULL,
  started    TEXT,
  trace_path TEXT,
  summary_id TEXT NOT NULL,
  PRIMARY KEY (project_id, agent, run_id)
) WITHOUT ROWID;

-- One row a memory, as it stands now. An id is unique inside its project only: two clones of one repository
-- share their files, and so their ids, without being one project.
CREATE TABLE records (
  seq            INTEGER PRIMARY KEY,
  project_id     TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  id             TEXT NOT NULL,
  primitive      TEXT NOT NULL CHECK (primitive IN ('decision', 'learning', 'summary')),
  title          TEXT NOT NULL,
  body           TEXT NOT NULL,
  created        TEXT NOT NULL,
  updated        TEXT NOT NULL,
  source         TEXT NOT NULL,
  confidence     REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  tags           TEXT NOT NULL,
  kind           TEXT,
  status         TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'archived')),
  version        INTEGER NOT NULL,
  valid_from     TEXT NOT NULL,
  valid_until    TEXT,
  superseded_by  TEXT,
  evidence       TEXT NOT NULL,
  trust          TEXT NOT NULL,
  description    TEXT,
  date           TEXT,
  time           TEXT,
  coding_agent   TEXT,
  raw_trace_path TEXT,
  run_id         TEXT,
  repo_name      TEXT,
  extra          TEXT NOT NULL,
  UNIQUE (project_id, id)
);
CREATE INDEX records_by_status ON records (project_id, status, updated);
CREATE INDEX records_by_successor ON records (project_id, superseded_by) WHERE superseded_by IS NOT NULL;

-- Attention is not truth: counting a use makes no version.
CREATE TABLE uses (
  record_seq INTEGER PRIMARY KEY REFERENCES records (seq) ON DELETE CASCADE,
  last_used  TEXT NOT NULL,
  uses       INTEGER NOT NULL
);

-- One row a change: what one command, edit or run did to one project, taken back as one.
CREATE TABLE changes (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  at         TEXT NOT NULL,
  author     TEXT NOT NULL,
  reason     TEXT NOT NULL,
  run_id     TEXT,
  undone_by  INTEGER REFERENCES changes (id) ON DELETE CASCADE
);
CREATE INDEX changes_by_run ON changes (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX changes_by_undoing ON changes (undone_by) WHERE undone_by IS NOT NULL;

-- Append-only: what every record was, as JSON of all its fields.
CREATE TABLE versions (
  record_seq INTEGER NOT NULL REFERENCES records (seq) ON DELETE CASCADE,
  version    INTEGER NOT NULL,
  change_id  INTEGER NOT NULL REFERENCES changes (id) ON DELETE CASCADE,
  operation  TEXT NOT NULL,
  at         TEXT NOT NULL,
  snapshot   TEXT NOT NULL,
  PRIMARY KEY (record_seq, version)
) WITHOUT ROWID;
CREATE INDEX versions_by_change ON versions (change_id);
CREATE TRIGGER versions_are_final BEFORE UPDATE ON versions
BEGIN
  SELECT RAISE(ABORT, 'versions are append-only');
END;

-- The Markdown face as last seen or written: an unchanged file costs one stat.
-- A file that cannot be read has no record, but a problem and its line.
CREATE TABLE files (
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  path       TEXT NOT NULL,
  record_seq INTEGER REFERENCES records (seq) ON DELETE CASCADE,
  mtime_ns   INTEGER NOT NULL,
  size       INTEGER NOT NULL,
  inode      INTEGER NOT NULL,
  seen_ns    INTEGER NOT NULL,
  digest     TEXT NOT NULL,
  problem    TEXT,
  line       INTEGER,
  PRIMARY KEY (project_id, path)
) WITHOUT ROWID;
CREATE UNIQUE INDEX files_by_record ON files (record_seq) WHERE record_seq IS NOT NULL;

-- Files still to be written: committed with the record, so that a crash between the two faces is finished later.
CREATE TABLE pending_files (
  record_seq INTEGER PRIMARY KEY REFERENCES records (seq) ON DELETE CASCADE,
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  path       TEXT,
  digest     TEXT NOT NULL
);
CREATE INDEX pending_files_by_project ON pending_files (project_id);

-- Derived: mirrors the text of records, kept by triggers, remade with 'rebuild'.
CREATE VIRTUAL TABLE records_fts USING fts5 (
  title, body, tags, description,
  content = 'records', content_rowid = 'seq',
  tokenize = "porter unicode61 remove_diacritics 2"
);
CREATE TRIGGER records_fts_insert AFTER INSERT ON records
BEGIN
  INSERT INTO records_fts (rowid, title, body, tags, description)
  VALUES (new.seq, new.title, new.body, new.tags, new.description);
END;
CREATE TRIGGER records_fts_delete AFTER DELETE ON records
BEGIN
  INSERT INTO records_fts (records_fts, rowid, title, body, tags, description)
  VALUES ('delete', old.seq, old.title, old.body, old.tags, old.description);
END;
CREATE TRIGGER records_fts_update AFTER UPDATE OF title, body, tags, description ON records
BEGIN
  INSERT INTO records_fts (records_fts, rowid, title, body, tags, description)
  VALUES ('delete', old.seq, old.title, old.body, old.tags, old.description);
  INSERT INTO records_fts (rowid, title, body, tags, description)
  VALUES (new.seq, new.title, new.body, new.tags, new.description);
END;
