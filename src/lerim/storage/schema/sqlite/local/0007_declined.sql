-- What a person does not want done, as a digest of the operation and of what its records say: while they say that, it is
-- not proposed again.
CREATE TABLE declined (
  project_id TEXT NOT NULL,
  question   TEXT NOT NULL,
  at         TEXT NOT NULL,
  PRIMARY KEY (project_id, question)
) WITHOUT ROWID;
