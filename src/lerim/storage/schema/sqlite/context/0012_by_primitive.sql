-- How many decisions and learnings hold, and which came last: asked by every look at the whole, and no row is read for it.
CREATE INDEX records_by_primitive ON records (project_id, primitive, status, updated);
