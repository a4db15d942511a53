-- What records name of their repository, and whether it is still there. All of it is found out again from the records
-- and from git; what a repository has forgotten since is known only here, and nothing worse is lost than that.

-- How far: what was checked out, and a digest of all branches.
CREATE TABLE grounded (
  project_id TEXT NOT NULL PRIMARY KEY,
  head       TEXT NOT NULL,
  refs       TEXT NOT NULL
) WITHOUT ROWID;

-- Which record names what. `late`: it was said when that was gone already.
CREATE TABLE grounds (
  project_id TEXT NOT NULL,
  record_id  TEXT NOT NULL,
  kind       TEXT NOT NULL,
  name       TEXT NOT NULL,
  late       INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, record_id, kind, name)
) WITHOUT ROWID;

-- What became of each name: there, gone, or unknown, as all that never was in the history.
CREATE TABLE ground_names (
  project_id   TEXT NOT NULL,
  kind         TEXT NOT NULL,
  name         TEXT NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('there', 'gone', 'unknown')),
  seen         TEXT NOT NULL DEFAULT '',  -- the last commit it was seen in
  since_commit TEXT NOT NULL DEFAULT '',
  since        TEXT NOT NULL DEFAULT '',
  what         TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (project_id, kind, name)
) WITHOUT ROWID;
CREATE INDEX ground_names_gone ON ground_names (project_id, kind, name) WHERE state = 'gone';

-- The tips of branches when they were last seen: a branch that is gone can still be told to be merged.
CREATE TABLE ground_branches (
  project_id TEXT NOT NULL,
  branch     TEXT NOT NULL,
  tip        TEXT NOT NULL,
  PRIMARY KEY (project_id, branch)
) WITHOUT ROWID;

-- Decisions made on a branch, and how that stands: open, merged, or unknown when the branch is gone and nothing tells.
CREATE TABLE ground_provisional (
  project_id TEXT NOT NULL,
  record_id  TEXT NOT NULL,
  branch     TEXT NOT NULL,
  said       TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('open', 'merged', 'unknown')),
  what       TEXT NOT NULL,
  PRIMARY KEY (project_id, record_id)
) WITHOUT ROWID;
