-- What was given to which session, and what became of it there.

CREATE TABLE served (
  key        TEXT PRIMARY KEY,  -- the name of the note that a hook left
  at         TEXT NOT NULL,
  agent      TEXT NOT NULL,
  session    TEXT NOT NULL,     -- what its host calls it; empty where it has no name
  cwd        TEXT NOT NULL,
  root       TEXT,              -- whose view it was; NULL: that of the global memory
  view       TEXT NOT NULL,
  digest     TEXT NOT NULL,
  characters INTEGER NOT NULL,
  judged     TEXT               -- the session as it was judged; NULL: it was not yet
) WITHOUT ROWID;
CREATE INDEX served_by_session ON served (agent, session);

-- The memories in it. Without an outcome as long as the session was not read.
CREATE TABLE served_records (
  key     TEXT NOT NULL REFERENCES served (key) ON DELETE CASCADE,
  record  TEXT NOT NULL,
  outcome TEXT CHECK (outcome IN ('followed', 'ignored', 'contradicted')),
  line    INTEGER,
  by_user INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (key, record)
) WITHOUT ROWID;

-- What a user had to say again although a memory said it.
CREATE TABLE repeated (
  agent    TEXT NOT NULL,
  session  TEXT NOT NULL,
  record   TEXT NOT NULL,
  line     INTEGER NOT NULL,
  root     TEXT,
  is_given INTEGER NOT NULL,    -- 1: the session had been given that memory
  PRIMARY KEY (agent, session, record)
) WITHOUT ROWID;
