-- Whose calls these are. Everybody sees their own; those who write in all projects see what these cost, which is what
-- budgets for all of them go by.

SELECT lerim_team.guard_own('calls'), lerim_team.guard_own('stops'), lerim_team.guard_known('steps');
ALTER TABLE stops DROP CONSTRAINT stops_pkey, ADD PRIMARY KEY (member, run_id);
CREATE INDEX stops_by_run ON stops (run_id);
CREATE POLICY all_projects ON calls FOR SELECT
  USING ((SELECT lerim_team.has_all(2)) AND coalesce(project, '') NOT IN ('', 'global'));
CREATE POLICY all_projects ON stops FOR SELECT
  USING ((SELECT lerim_team.has_all(2)) AND EXISTS (SELECT FROM calls c WHERE c.run_id = stops.run_id AND c.member = stops.member));
