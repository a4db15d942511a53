-- What a session may have taught and nobody is sure of: it waits for a person. Never a memory until somebody says so.
-- Both decisions hang on changes: when a change is taken back, what it proposed or decided here is taken back with it.
CREATE TABLE review (
  project_id      TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  id              TEXT NOT NULL,
  session         TEXT NOT NULL,
  run_id          TEXT NOT NULL,
  primitive       TEXT NOT NULL CHECK (primitive IN ('decision', 'learning')),
  kind            TEXT,
  title           TEXT NOT NULL,
  -- The title as it is compared: lower case, words only.
  title_words     TEXT NOT NULL,
  body            TEXT NOT NULL,
  confidence      REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  tags            TEXT NOT NULL,
  evidence        TEXT NOT NULL,
  trust           TEXT NOT NULL,
  signals         TEXT NOT NULL,
  created         TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected', 'outdated')),
  decided         TEXT,
  author          TEXT,
  reason          TEXT NOT NULL,
  record_id       TEXT,
  proposed_change INTEGER NOT NULL REFERENCES changes (id) ON DELETE CASCADE,
  decided_change  INTEGER REFERENCES changes (id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, id)
) WITHOUT ROWID;
CREATE INDEX review_by_session ON review (project_id, session);
CREATE INDEX review_by_title ON review (project_id, title_words);
CREATE INDEX review_by_proposal ON review (proposed_change);
CREATE INDEX review_by_decision ON review (decided_change) WHERE decided_change IS NOT NULL;
