-- What models answered in runs, by the hash of all that was asked: whoever asks the same again does not pay again.

CREATE TABLE answers (
  key    TEXT PRIMARY KEY,
  at     TEXT NOT NULL,
  answer TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX answers_by_time ON answers (at);
