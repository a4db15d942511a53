-- Sums are counted by the server alone, and seen by those who write in all projects: budgets for all go by them. Others
-- go by the calls that they see. What a provider wants is told to everybody, and noted by the same.

ALTER TABLE sums ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_projects ON sums FOR SELECT USING ((SELECT lerim_team.has_all(2)));
SELECT lerim_team.guard_known('holds');
CREATE POLICY noted ON holds FOR INSERT WITH CHECK ((SELECT lerim_team.has_all(2)));
CREATE POLICY noted_again ON holds FOR UPDATE USING ((SELECT lerim_team.has_all(2)));
