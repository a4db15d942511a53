-- A path that is no text is kept as text all the same: every engine has that.

UPDATE containers SET path = 'bytes:' || lower(hex(path)) WHERE typeof(path) = 'blob';
UPDATE sessions SET project_root = 'bytes:' || lower(hex(project_root)) WHERE typeof(project_root) = 'blob';
UPDATE places SET root = 'bytes:' || lower(hex(root)) WHERE typeof(root) = 'blob';
UPDATE aliases SET old_root = 'bytes:' || lower(hex(old_root)) WHERE typeof(old_root) = 'blob';
UPDATE aliases SET root = 'bytes:' || lower(hex(root)) WHERE typeof(root) = 'blob';
UPDATE served SET cwd = 'bytes:' || lower(hex(cwd)) WHERE typeof(cwd) = 'blob';
UPDATE served SET root = 'bytes:' || lower(hex(root)) WHERE typeof(root) = 'blob';
UPDATE repeated SET root = 'bytes:' || lower(hex(root)) WHERE typeof(root) = 'blob';
