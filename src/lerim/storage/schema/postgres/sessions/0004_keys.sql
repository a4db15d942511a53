-- The project leads every key of what belongs to one, so that a layer such as Citus can distribute by it. A session that
-- has no project has '' for one; what a machine notes for itself belongs to none.

-- What was uploaded lies in one place, whosever it is. Everybody knows it, and nobody changes it.
DROP TRIGGER IF EXISTS lerim_noted_insert ON containers;
DROP TRIGGER IF EXISTS lerim_noted_delete ON containers;
DROP POLICY own ON containers;
DROP POLICY readers ON containers;
DROP POLICY writers ON containers;
DROP POLICY changers ON containers;
DROP POLICY removers ON containers;
INSERT INTO containers (agent, path, size, inode)
  SELECT DISTINCT '', 'uploaded', 0, 0 FROM containers WHERE project_id IS NOT NULL;
UPDATE sessions SET container_id = (SELECT id FROM containers WHERE agent = '' AND path = 'uploaded')
  WHERE container_id IN (SELECT id FROM containers WHERE project_id IS NOT NULL);
DELETE FROM containers WHERE project_id IS NOT NULL;
ALTER TABLE containers DROP COLUMN project_id;
CREATE POLICY own ON containers
  USING (agent <> '' AND member = (SELECT lerim_team.me()) AND (SELECT lerim_team.member()) IS NOT NULL);
CREATE POLICY known ON containers FOR SELECT USING (agent = '' AND (SELECT lerim_team.member()) IS NOT NULL);
CREATE POLICY made ON containers FOR INSERT WITH CHECK (
  agent = '' AND path = 'uploaded' AND size = 0 AND (SELECT lerim_team.member()) IS NOT NULL);

-- Copies and records that were seen are a machine's own notes about sessions, whatever their project is.
ALTER TABLE copies DROP CONSTRAINT copies_session_id_fkey;
ALTER TABLE seen_records DROP CONSTRAINT seen_records_session_id_fkey;

DROP POLICY own ON sessions;
UPDATE sessions SET project_id = '' WHERE project_id IS NULL;
ALTER TABLE sessions
  ALTER project_id SET DEFAULT '', ALTER project_id SET NOT NULL,
  DROP CONSTRAINT sessions_pkey, ADD PRIMARY KEY (project_id, id),
  DROP CONSTRAINT sessions_agent_run_id_key, ADD UNIQUE (project_id, agent, run_id),
  DROP CONSTRAINT sessions_check,
  ADD CONSTRAINT sessions_check CHECK (state NOT IN ('pending', 'running', 'failed') OR project_id <> '');
CREATE INDEX sessions_by_id ON sessions (id);
CREATE INDEX sessions_by_name ON sessions (agent, run_id);
-- What has no project is seen by whoever put it there, and no role for all projects reaches it.
CREATE POLICY own ON sessions USING (
  project_id = '' AND member = (SELECT lerim_team.me()) AND (SELECT lerim_team.member()) IS NOT NULL);
CREATE POLICY no_project ON sessions AS RESTRICTIVE USING (project_id <> '' OR member = (SELECT lerim_team.me()));

-- What is next in a project is found by one look, however many sessions wait there.
DROP INDEX sessions_waiting;
CREATE INDEX sessions_waiting ON sessions (project_id, last, coalesce(started, active), id)
  WHERE state IN ('pending', 'failed');
