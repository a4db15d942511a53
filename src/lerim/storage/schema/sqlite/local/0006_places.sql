-- A store that several machines share, as this machine knows it while the server is silent: which one is at an address,
-- and who this machine's user is there. The address has no password in it.
CREATE TABLE stores (
  address TEXT PRIMARY KEY,
  store   TEXT NOT NULL,
  person  TEXT NOT NULL
) WITHOUT ROWID;

-- Where the projects of such a store lie on this machine, and what its user said about each folder.
CREATE TABLE project_places (
  store      TEXT NOT NULL,
  project_id TEXT NOT NULL,
  root       TEXT NOT NULL,
  name       TEXT NOT NULL,
  trust      TEXT NOT NULL,
  identity   TEXT NOT NULL,
  PRIMARY KEY (store, project_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX project_places_by_root ON project_places (store, root);

-- Other folders that belong to them: where they lay before, and further clones.
CREATE TABLE project_aliases (
  store      TEXT NOT NULL,
  root       TEXT NOT NULL,
  project_id TEXT NOT NULL,
  identity   TEXT NOT NULL,
  PRIMARY KEY (store, root)
) WITHOUT ROWID;
