-- What models answered in runs, by the hash of all that was asked: whoever asks the same again does not pay again.

CREATE TABLE answers (
  key    TEXT COLLATE "C" PRIMARY KEY,
  at     TEXT COLLATE "C" NOT NULL,
  answer TEXT COLLATE "C" NOT NULL
);
CREATE INDEX answers_by_time ON answers (at);
