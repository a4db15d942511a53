-- When curation has to look at a record again although nobody changed it: at the moment it may have faded; or, empty, at
-- once, since what was proposed for it waits for a person.
CREATE TABLE curated (
  project_id TEXT NOT NULL,
  record_seq INTEGER NOT NULL,
  due        TEXT NOT NULL,
  PRIMARY KEY (project_id, record_seq)
) WITHOUT ROWID;
CREATE INDEX curated_by_due ON curated (project_id, due);
-- When curation last looked.
CREATE TABLE curations (
  project_id TEXT PRIMARY KEY,
  at         TEXT NOT NULL
) WITHOUT ROWID;
