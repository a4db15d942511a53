-- The records that a candidate stands against: whoever accepts it closes them.
ALTER TABLE review ADD COLUMN against TEXT NOT NULL DEFAULT '[]';
UPDATE review SET against = (
  SELECT coalesce(json_group_array(r.id), '[]') FROM records r
  WHERE r.project_id = review.project_id AND instr(review.signals, '(' || r.id || '), said on ') > 0
) WHERE instr(review.signals, 'stands against') > 0;

-- Records of earlier versions are dated by when their sessions were read. They are dated anew from those sessions, once.
CREATE TABLE undated (
  record_seq INTEGER NOT NULL PRIMARY KEY REFERENCES records (seq) ON DELETE CASCADE
);
INSERT INTO undated (record_seq)
  SELECT seq FROM records WHERE trust <> 'shared' AND (
    EXISTS (SELECT 1 FROM json_each(evidence) piece WHERE json_array_length(piece.value) < 7)
    OR (evidence = '[]' AND run_id IS NOT NULL AND coding_agent IS NOT NULL AND coalesce(valid_from, created) = created)
  );
