-- Whose answers these are: what a model said about somebody's sessions is told to nobody else.

ALTER TABLE answers ADD COLUMN member TEXT COLLATE "C" NOT NULL DEFAULT lerim_team.me();
ALTER TABLE answers DROP CONSTRAINT answers_pkey, ADD PRIMARY KEY (member, key);
CREATE INDEX answers_by_key ON answers (key);
ALTER TABLE answers ALTER answer SET STATISTICS 0, ALTER key SET STATISTICS 0;
ALTER TABLE answers ENABLE ROW LEVEL SECURITY;
ALTER TABLE steps ENABLE ROW LEVEL SECURITY;
CREATE POLICY members ON steps FOR SELECT USING ((SELECT lerim_team.member()) IS NOT NULL);
CREATE POLICY own ON answers USING (member = (SELECT lerim_team.me()) AND (SELECT lerim_team.member()) IS NOT NULL);
