-- Whether the user trusts a project, and which folder that was said of: another one may come to lie at its path.
-- What was registered before anybody could say so was the user's own choice, and stays trusted.
ALTER TABLE projects ADD COLUMN trust TEXT NOT NULL DEFAULT 'trusted';
ALTER TABLE projects ADD COLUMN identity TEXT NOT NULL DEFAULT '';
