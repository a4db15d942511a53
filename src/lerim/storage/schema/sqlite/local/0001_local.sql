-- What is about this machine alone, and no truth: its memory files as they looked last, and its search index.
-- All of it is derived. Deleted, it comes back from the store and the files. Nothing here is ever joined with the store,
-- which may be another engine on another machine.

-- How far something here has followed the changes of a project in the store: up to this version of this change, in the
-- order they were written. A row that names another store, or a change that is not there, counts for nothing.
CREATE TABLE followed (
  project_id TEXT NOT NULL,
  what       TEXT NOT NULL,
  store      TEXT NOT NULL,
  change_id  INTEGER NOT NULL,
  record_seq INTEGER NOT NULL,
  PRIMARY KEY (project_id, what)
) WITHOUT ROWID;

-- The Markdown face as last seen or written: an unchanged file costs one stat.
-- A file that cannot be read has a problem and its line, and the record it once spoke for, if it did.
CREATE TABLE files (
  project_id TEXT NOT NULL,
  path       TEXT NOT NULL,
  record_id  TEXT,
  -- The record's version that the file says. When the store's is another one, the file is still to be written;
  -- 0: it is to be written again, whatever the store's version is.
  version    INTEGER NOT NULL,
  mtime_ns   INTEGER NOT NULL,
  size       INTEGER NOT NULL,
  inode      INTEGER NOT NULL,
  seen_ns    INTEGER NOT NULL,
  digest     TEXT NOT NULL,
  problem    TEXT,
  line       INTEGER,
  PRIMARY KEY (project_id, path)
) WITHOUT ROWID;
CREATE UNIQUE INDEX files_by_record ON files (project_id, record_id) WHERE record_id IS NOT NULL;
CREATE INDEX files_unwritten ON files (project_id) WHERE version = 0 AND record_id IS NOT NULL;

-- The files of the search index, each written once. One without a row here is a leftover; a row without its file is made
-- anew.
CREATE TABLE index_parts (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id TEXT NOT NULL,
  -- Empty for terms, else the model whose vectors it holds.
  model      TEXT NOT NULL,
  name       TEXT NOT NULL UNIQUE,
  size       INTEGER NOT NULL
);
CREATE INDEX index_parts_by_project ON index_parts (project_id, model);

-- Vectors by model: those of different models never meet. One counts while its record still says the text it was made
-- from. Not yet in a part: part is NULL.
CREATE TABLE embeddings (
  project_id TEXT NOT NULL,
  model      TEXT NOT NULL,
  record_seq INTEGER NOT NULL,
  digest     BLOB NOT NULL,
  part       INTEGER,
  vector     BLOB NOT NULL,
  PRIMARY KEY (project_id, model, record_seq)
);
CREATE INDEX embeddings_by_part ON embeddings (project_id, model, part);
