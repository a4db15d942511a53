-- What queries ask of a record's evidence, under names that plain SQL can use whatever the engine does with JSON.

-- The session that a record's first evidence names, and the line: what stands side by side in a session.
ALTER TABLE records ADD COLUMN first_agent TEXT GENERATED ALWAYS AS (json_extract(evidence, '$[0][0]')) VIRTUAL;
ALTER TABLE records ADD COLUMN first_run TEXT GENERATED ALWAYS AS (json_extract(evidence, '$[0][1]')) VIRTUAL;
ALTER TABLE records ADD COLUMN first_line INTEGER GENERATED ALWAYS AS (json_extract(evidence, '$[0][2]')) VIRTUAL;
DROP INDEX records_by_session;
CREATE INDEX records_by_session ON records (project_id, first_agent, first_run, first_line)
WHERE first_agent IS NOT NULL;

-- Every session that a record cites, one row a piece of evidence.
CREATE VIEW cited_sessions (record_seq, agent, run_id) AS
SELECT r.seq, json_extract(item.value, '$[0]'), json_extract(item.value, '$[1]')
FROM records r, json_each(r.evidence) item;
