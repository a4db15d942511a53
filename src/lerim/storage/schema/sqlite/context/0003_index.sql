-- What search finds records by. All of it is derived: it can be deleted, and comes back from the records.

-- The files of the index, each written once. One without a row here is a leftover; a row without its file is made anew.
CREATE TABLE index_parts (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- Empty for terms, else the model whose vectors it holds.
  model      TEXT NOT NULL,
  name       TEXT NOT NULL UNIQUE,
  size       INTEGER NOT NULL
);
CREATE INDEX index_parts_by_project ON index_parts (project_id, model);

-- Records that no part of the index knows as they stand now.
CREATE TABLE unindexed (
  record_seq INTEGER PRIMARY KEY REFERENCES records (seq) ON DELETE CASCADE,
  project_id TEXT NOT NULL
);
CREATE INDEX unindexed_by_project ON unindexed (project_id);

-- Vectors by model: those of different models never meet. Not yet in a part: part is NULL.
CREATE TABLE embeddings (
  record_seq INTEGER NOT NULL REFERENCES records (seq) ON DELETE CASCADE,
  model      TEXT NOT NULL,
  project_id TEXT NOT NULL,
  part       INTEGER,
  vector     BLOB NOT NULL,
  PRIMARY KEY (record_seq, model)
);
CREATE INDEX embeddings_by_model ON embeddings (model, project_id, part);

-- Records whose vector is still to be made, by the model that index_model names.
CREATE TABLE unembedded (
  record_seq INTEGER PRIMARY KEY REFERENCES records (seq) ON DELETE CASCADE,
  project_id TEXT NOT NULL
);
CREATE INDEX unembedded_by_project ON unembedded (project_id);
CREATE TABLE index_model (model TEXT NOT NULL);
INSERT INTO index_model (model) VALUES ('');

-- What stands side by side in a session: the agent, the run and the line of a record's first evidence.
CREATE INDEX records_by_session ON records (
  project_id, json_extract(evidence, '$[0][0]'), json_extract(evidence, '$[0][1]'), json_extract(evidence, '$[0][2]')
) WHERE evidence <> '[]';

INSERT INTO unindexed (record_seq, project_id) SELECT seq, project_id FROM records;
INSERT INTO unembedded (record_seq, project_id) SELECT seq, project_id FROM records;

CREATE TRIGGER records_unindexed_insert AFTER INSERT ON records
BEGIN
  INSERT INTO unindexed (record_seq, project_id) VALUES (new.seq, new.project_id);
  INSERT INTO unembedded (record_seq, project_id) VALUES (new.seq, new.project_id);
END;
CREATE TRIGGER records_unindexed_update AFTER UPDATE ON records
BEGIN
  INSERT INTO unindexed (record_seq, project_id) VALUES (new.seq, new.project_id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER records_unembedded_update AFTER UPDATE OF title, body ON records
WHEN new.title <> old.title OR new.body <> old.body
BEGIN
  DELETE FROM embeddings WHERE record_seq = old.seq;
  INSERT INTO unembedded (record_seq, project_id) VALUES (new.seq, new.project_id) ON CONFLICT DO NOTHING;
END;
