-- Traces that machines uploaded, redacted, so that any worker can read a session.

-- Some lines of a trace, compressed. What several traces have in common is kept once.
CREATE TABLE pieces (
  project_id TEXT NOT NULL,
  digest     TEXT NOT NULL,  -- of the lines as they were before
  content    BLOB NOT NULL,
  at         REAL NOT NULL,
  PRIMARY KEY (project_id, digest)
);

-- A session's trace as it was at some moment. The session's row names the newest one as its fingerprint.
CREATE TABLE traces (
  project_id TEXT NOT NULL,
  digest     TEXT NOT NULL,  -- of the whole
  agent      TEXT NOT NULL,
  run_id     TEXT NOT NULL,
  machine    TEXT NOT NULL,  -- where it is from
  lines      INTEGER NOT NULL,
  size       INTEGER NOT NULL,
  at         REAL NOT NULL,
  PRIMARY KEY (project_id, digest)
);
CREATE INDEX traces_by_session ON traces (project_id, agent, run_id);

CREATE TABLE trace_pieces (
  project_id TEXT NOT NULL,
  trace      TEXT NOT NULL,
  number     INTEGER NOT NULL,
  piece      TEXT NOT NULL,
  PRIMARY KEY (project_id, trace, number),
  FOREIGN KEY (project_id, trace) REFERENCES traces (project_id, digest) ON DELETE CASCADE,
  FOREIGN KEY (project_id, piece) REFERENCES pieces (project_id, digest)
);
CREATE INDEX traces_by_piece ON trace_pieces (project_id, piece);

-- Whose sessions it holds, where these were uploaded; else several projects may have some in it.
ALTER TABLE containers ADD COLUMN project_id TEXT;
