-- What was about one machine leaves the store: it can be shared by several, each with files of its own. How a machine's
-- files look is kept in its local database, and found out anew by looking at them.

-- Which store this is. A machine that has followed the changes of another one starts over.
CREATE TABLE identity (id TEXT NOT NULL);
INSERT INTO identity (id) VALUES (lower(hex(randomblob(16))));

-- Whether a record shall have a file: not when a person deleted it, or when its creation was taken back.
-- What is still to be written is no row: it is a record whose version is not the one that a machine's file says. So
-- every machine knows by itself, after a crash and after a change that another one made.
ALTER TABLE records ADD COLUMN filed INTEGER NOT NULL DEFAULT 1 CHECK (filed IN (0, 1));
UPDATE records SET filed = 0
WHERE EXISTS (SELECT 1 FROM pending_files p WHERE p.record_seq = records.seq AND p.path IS NULL)
   OR (status = 'archived'
       AND NOT EXISTS (SELECT 1 FROM files f WHERE f.record_seq = records.seq)
       AND NOT EXISTS (SELECT 1 FROM pending_files p WHERE p.record_seq = records.seq));
DROP TABLE pending_files;
DROP TABLE files;

-- What followed after a change, project by project.
CREATE INDEX changes_by_project ON changes (project_id, id);
