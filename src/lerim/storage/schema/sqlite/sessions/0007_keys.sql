-- A session that has no project has '' for one, as where machines share the queue: there the project leads every key.
UPDATE sessions SET project_id = '' WHERE project_id IS NULL;

-- What is next in a project is found by one look, however many sessions wait there.
DROP INDEX sessions_waiting;
CREATE INDEX sessions_waiting ON sessions (project_id, last, coalesce(started, active), id)
  WHERE state IN ('pending', 'failed');

-- What was uploaded lies in one place, whosever it is.
ALTER TABLE containers DROP COLUMN project_id;
