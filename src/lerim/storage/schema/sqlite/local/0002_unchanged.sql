-- What a walk found of a group of files when each of them was sound and looked just as noted: a fingerprint. While a walk
-- finds the same again, none of them has to be looked up. Whatever is noted about a file ends that for its group, which
-- is its inode modulo 256.
CREATE TABLE unchanged_files (
  project_id  TEXT NOT NULL,
  number      INTEGER NOT NULL,
  fingerprint BLOB NOT NULL,
  PRIMARY KEY (project_id, number)
) WITHOUT ROWID;
CREATE TRIGGER files_noted AFTER INSERT ON files
BEGIN
  DELETE FROM unchanged_files WHERE project_id = NEW.project_id AND number = NEW.inode & 255;
END;
CREATE TRIGGER files_noted_again AFTER UPDATE ON files
BEGIN
  DELETE FROM unchanged_files
    WHERE project_id = NEW.project_id AND number IN (OLD.inode & 255, NEW.inode & 255);
END;
CREATE TRIGGER files_forgotten AFTER DELETE ON files
BEGIN
  DELETE FROM unchanged_files WHERE project_id = OLD.project_id AND number = OLD.inode & 255;
END;
CREATE INDEX files_with_problem ON files (project_id, path) WHERE problem IS NOT NULL;
