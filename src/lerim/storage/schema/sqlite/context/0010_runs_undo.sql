-- The memory files that a run was about to write over, as they were: what is taken back comes back to the byte.
CREATE TABLE file_images (
  change_id  INTEGER NOT NULL REFERENCES changes (id) ON DELETE CASCADE,
  record_seq INTEGER NOT NULL REFERENCES records (seq) ON DELETE CASCADE,
  path       TEXT NOT NULL,
  data       BLOB NOT NULL,
  PRIMARY KEY (change_id, record_seq)
) WITHOUT ROWID;
CREATE INDEX file_images_by_record ON file_images (record_seq);
