-- Answers are kept by project, as where machines share them; '' is no project's, and that of answers kept before.
ALTER TABLE answers RENAME TO before;
DROP INDEX answers_by_time;
CREATE TABLE answers (
  project_id TEXT NOT NULL,
  key        TEXT NOT NULL,
  at         TEXT NOT NULL,
  answer     TEXT NOT NULL,
  PRIMARY KEY (project_id, key)
);
INSERT INTO answers (project_id, key, at, answer) SELECT '', key, at, answer FROM before;
DROP TABLE before;
CREATE INDEX answers_by_time ON answers (at);
