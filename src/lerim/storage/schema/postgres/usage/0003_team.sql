-- Whose calls these are. Everybody sees their own; those who write in all projects see what these cost, which is what
-- budgets for all of them go by.

ALTER TABLE calls ADD COLUMN member TEXT COLLATE "C" NOT NULL DEFAULT lerim_team.me();
ALTER TABLE stops ADD COLUMN member TEXT COLLATE "C" NOT NULL DEFAULT lerim_team.me();
ALTER TABLE stops DROP CONSTRAINT stops_pkey, ADD PRIMARY KEY (member, run_id);
CREATE INDEX stops_by_run ON stops (run_id);
ALTER TABLE calls ENABLE ROW LEVEL SECURITY;
ALTER TABLE stops ENABLE ROW LEVEL SECURITY;
ALTER TABLE steps ENABLE ROW LEVEL SECURITY;
CREATE POLICY members ON steps FOR SELECT USING ((SELECT lerim_team.member()) IS NOT NULL);
CREATE POLICY own ON calls USING (member = (SELECT lerim_team.me()) AND (SELECT lerim_team.member()) IS NOT NULL);
CREATE POLICY own ON stops USING (member = (SELECT lerim_team.me()) AND (SELECT lerim_team.member()) IS NOT NULL);
CREATE POLICY all_projects ON calls FOR SELECT
  USING ((SELECT lerim_team.has_all(2)) AND coalesce(project, '') NOT IN ('', 'global'));
CREATE POLICY all_projects ON stops FOR SELECT
  USING ((SELECT lerim_team.has_all(2)) AND EXISTS (SELECT FROM calls c WHERE c.run_id = stops.run_id AND c.member = stops.member));
