-- The session catalog and its queue: which sessions exist on this machine, and what became of each.

-- A file, or a database of an agent, as last seen: while nothing changes it costs one stat.
CREATE TABLE containers (
  id       INTEGER PRIMARY KEY,
  agent    TEXT NOT NULL,
  path     TEXT NOT NULL,
  mtime_ns INTEGER,           -- NULL: the next scan looks again
  size     INTEGER NOT NULL,
  inode    INTEGER NOT NULL,
  digest   TEXT,              -- of both ends of a file that is one session, up to `size`
  problem  TEXT,              -- why its sessions could not be listed
  gone     INTEGER NOT NULL DEFAULT 0,
  UNIQUE (agent, path)
);

-- One row a session, whatever number of files hold it. The queue is the second half of the row.
CREATE TABLE sessions (
  id            INTEGER PRIMARY KEY,
  agent         TEXT NOT NULL,
  run_id        TEXT NOT NULL,
  container_id  INTEGER NOT NULL REFERENCES containers (id),
  fingerprint   TEXT NOT NULL,
  size          INTEGER,      -- NULL: one of several in its container
  active        TEXT NOT NULL,
  gone          INTEGER NOT NULL DEFAULT 0,
  rewritten     INTEGER NOT NULL DEFAULT 0,
  cwd           TEXT,
  other_cwds    TEXT NOT NULL DEFAULT '[]',
  project_id    TEXT,
  project_root  TEXT,
  branch        TEXT,
  model         TEXT,
  version       TEXT,
  title         TEXT,
  started       TEXT,
  ended         TEXT,
  parent        TEXT,
  forked_from   TEXT,
  turns         INTEGER,
  tool_calls    INTEGER,
  errors        INTEGER,
  input_tokens  INTEGER,
  output_tokens INTEGER,

  state         TEXT NOT NULL CHECK (state IN ('pending', 'running', 'done', 'failed', 'dead', 'skipped')),
  reason        TEXT,         -- why it was skipped, or the last error
  choice        TEXT CHECK (choice IN ('take', 'leave')),
  attempts      INTEGER NOT NULL DEFAULT 0,
  due           REAL NOT NULL DEFAULT 0,
  token         INTEGER NOT NULL DEFAULT 0,
  worker        TEXT,
  leased_at     REAL,
  lease_seconds REAL,
  taken         TEXT,         -- fingerprint and size when it was last claimed
  taken_size    INTEGER,
  ingested      TEXT,         -- and when it was last completed
  ingested_size INTEGER NOT NULL DEFAULT 0,
  UNIQUE (agent, run_id),
  CHECK (state NOT IN ('pending', 'running', 'failed') OR project_id IS NOT NULL)
);
CREATE INDEX sessions_by_container ON sessions (container_id);
CREATE INDEX sessions_waiting ON sessions (coalesce(started, active), id) WHERE state IN ('pending', 'failed');
CREATE INDEX sessions_skipped ON sessions (reason, active) WHERE state = 'skipped';
-- The rule itself: one project is worked on by one worker at a time.
CREATE UNIQUE INDEX sessions_running ON sessions (project_id) WHERE state = 'running';

-- Other containers that hold a session too; one of them takes over when the session's own is gone.
CREATE TABLE copies (
  container_id INTEGER NOT NULL REFERENCES containers (id) ON DELETE CASCADE,
  session_id   INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  reason       TEXT NOT NULL,
  PRIMARY KEY (container_id, session_id)
) WITHOUT ROWID;
CREATE INDEX copies_by_session ON copies (session_id);

-- What a working directory was when it last existed, so that a deleted worktree or a moved repository is still known.
CREATE TABLE places (
  cwd    TEXT PRIMARY KEY,
  root   TEXT NOT NULL,
  remote TEXT
) WITHOUT ROWID;

-- Where a project used to be, as a person said.
CREATE TABLE aliases (
  old_root TEXT PRIMARY KEY,
  root     TEXT NOT NULL
) WITHOUT ROWID;

-- The session that first gave a record: forks copy records, ids and all. `record` is a 64-bit hash of agent and id.
CREATE TABLE seen_records (
  record     INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE
);

-- What a person said about an agent: further folders of its own, or that it shall not be read (an empty root).
CREATE TABLE connections (
  agent   TEXT NOT NULL,
  root    TEXT NOT NULL DEFAULT '',
  enabled INTEGER NOT NULL,
  PRIMARY KEY (agent, root)
) WITHOUT ROWID;
