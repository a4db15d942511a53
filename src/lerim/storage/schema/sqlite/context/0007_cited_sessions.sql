-- The sessions that a record's evidence is from: a session that is taken in again finds what it left, however much is
-- known. Derived from the records, kept by triggers.
DROP VIEW cited_sessions;
CREATE TABLE cited_sessions (
  project_id TEXT NOT NULL,
  agent      TEXT NOT NULL,
  run_id     TEXT NOT NULL,
  record_seq INTEGER NOT NULL REFERENCES records (seq) ON DELETE CASCADE,
  PRIMARY KEY (project_id, agent, run_id, record_seq)
) WITHOUT ROWID;
CREATE INDEX cited_sessions_by_record ON cited_sessions (record_seq);

INSERT OR IGNORE INTO cited_sessions (project_id, agent, run_id, record_seq)
SELECT r.project_id, json_extract(item.value, '$[0]'), json_extract(item.value, '$[1]'), r.seq
FROM records r, json_each(r.evidence) item;

CREATE TRIGGER records_cited_insert AFTER INSERT ON records
WHEN new.evidence <> '[]'
BEGIN
  INSERT OR IGNORE INTO cited_sessions (project_id, agent, run_id, record_seq)
  SELECT new.project_id, json_extract(item.value, '$[0]'), json_extract(item.value, '$[1]'), new.seq
  FROM json_each(new.evidence) item;
END;
CREATE TRIGGER records_cited_update AFTER UPDATE OF evidence ON records
WHEN new.evidence <> old.evidence
BEGIN
  DELETE FROM cited_sessions WHERE record_seq = old.seq;
  INSERT OR IGNORE INTO cited_sessions (project_id, agent, run_id, record_seq)
  SELECT new.project_id, json_extract(item.value, '$[0]'), json_extract(item.value, '$[1]'), new.seq
  FROM json_each(new.evidence) item;
END;
