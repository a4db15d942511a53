-- What models used up: the books behind `lerim cost` and the budgets.

-- One row a call. It is opened with an estimate before the request goes out, so that requests made at the same time count
-- each other, and settled with what the provider reported. A row that stays open got no answer and keeps its estimate.
CREATE TABLE calls (
  id                 INTEGER PRIMARY KEY,
  at                 TEXT NOT NULL,
  run_id             TEXT NOT NULL,
  project            TEXT,               -- NULL: no project's
  role               TEXT NOT NULL,
  provider           TEXT NOT NULL,
  model              TEXT NOT NULL,
  requests           INTEGER NOT NULL DEFAULT 1,
  input_tokens       INTEGER NOT NULL,
  output_tokens      INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens  INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd           REAL,               -- NULL: nobody knows the price
  settled            INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX calls_by_time ON calls (at);
CREATE INDEX calls_by_run ON calls (run_id);

-- Runs that reached a budget. They get no further request.
CREATE TABLE stops (
  run_id TEXT PRIMARY KEY,
  at     TEXT NOT NULL,
  reason TEXT NOT NULL
) WITHOUT ROWID;
