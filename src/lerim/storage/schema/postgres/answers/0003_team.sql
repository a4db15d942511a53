-- Whose answers these are: what a model said about somebody's sessions is told to nobody else.

SELECT lerim_team.guard_own('answers'), lerim_team.guard_known('steps');
ALTER TABLE answers DROP CONSTRAINT answers_pkey, ADD PRIMARY KEY (member, key);
CREATE INDEX answers_by_key ON answers (key);
ALTER TABLE answers ALTER answer SET STATISTICS 0, ALTER key SET STATISTICS 0;
