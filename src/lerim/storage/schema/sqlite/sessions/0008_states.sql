-- How many sessions wait, died or lack a project is asked by every command, also where all of them were read long ago.
CREATE INDEX sessions_by_state ON sessions (state, reason, project_id);
-- Of which projects anything was read, and of which nothing.
CREATE INDEX sessions_read ON sessions (project_id) WHERE ingested IS NOT NULL;
CREATE INDEX sessions_unread ON sessions (project_id, active) WHERE ingested IS NULL;
