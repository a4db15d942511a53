"""A shared store, and members who try to get at what is not theirs: over SQL, with a login that is their own."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from lerim.context.records import Draft, Kind, Primitive
from lerim.context.team import Team, TeamRole
from lerim.errors import Conflict, NotAllowed, NotFound, UsageError
from lerim.storage.connections import Address
from lerim.storage.engine import open_shared
from lerim.storage.postgres import PostgresDatabase

from ..postgres_server import MISSING, execute, server, url_of
from .team_world import ME, SCHEMAS, SECRETS, TeamWorld, ask, logged_in, new_database, team_world

#: A vector, of some model.
NEAR = f"[1{', 0' * 31}]"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TeamWorld]:
    if not server():
        pytest.skip(MISSING)
    with team_world(tmp_path_factory.mktemp("shared")) as made:
        yield made


def test_every_table_of_a_shared_store_is_guarded(shared: TeamWorld) -> None:
    rows = shared.owner(
        "SELECT n.nspname, c.relname, c.relrowsecurity, count(p.oid) FROM pg_class c"
        " JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_policy p ON p.polrelid = c.oid"
        " WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND starts_with(n.nspname, 'lerim_') GROUP BY 1, 2, 3"
    )
    assert len(rows) > 30
    assert [row[:2] for row in rows if not row[2] or not row[3]] == []


def test_what_runs_with_the_owners_rights_says_where_it_looks(shared: TeamWorld) -> None:
    rows = shared.owner(
        "SELECT proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
        " WHERE prosecdef AND starts_with(nspname, 'lerim_')"
        " AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)"
    )
    assert rows == []


def test_a_reader_finds_nothing_of_others_in_any_table(shared: TeamWorld) -> None:
    with logged_in(shared.reader) as connection:
        tables = connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables WHERE starts_with(table_schema, 'lerim_')"
        ).fetchall()
        assert len(tables) > 25
        for schema, name in tables:
            columns = _COLUMNS.get((schema, name), "*")
            said = repr(connection.execute(f"SELECT {columns} FROM {schema}.{name}").fetchall())
            assert not [word for word in (*SECRETS, shared.orchard.id, shared.members["other"]) if word in said], name
        assert connection.execute("SELECT title FROM lerim_context.records").fetchall() == [("Pay by invoice only",)]


_COLUMNS = {("lerim_team", "tokens"): "id, member", ("lerim_team", "audit"): "who, what, project_id"}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM lerim_context.records WHERE words @@ to_tsquery('kestrel')",
        "SELECT count(*) FROM lerim_context.found_by_words("
        '\'{"project": "{orchard}", "every": true, "words": ["kestrel"]}\')',
        "SELECT count(*) FROM lerim_context.found_by_words("
        '\'{"project": "{shop}", "every": false, "words": ["kestrel", "orchard"], "common": 2000}\')',
        'SELECT count(*) FROM lerim_context.found_by_words(\'{"every": true, "words": ["kestrel"]}\')',
        "SELECT sum(held) FROM lerim_context.words_held("
        '\'{"project": "{shop}", "words": ["kestrel", "Kestrel ships"], "most": 100}\')',
        "SELECT count(*) FROM lerim_context.words_held("
        '\'{"project": "{orchard}", "words": ["kestrel"], "most": 100}\')',
        "SELECT count(*) FROM lerim_context.found_by_meaning('{orchard}', 'any@1', '{near}', 10)",
        "SELECT count(*) FROM lerim_context.record_terms WHERE project_id <> '{shop}'",
        "SELECT count(*) FROM lerim_context.records WHERE lerim_context.project_words(project_id, words)"
        " @> lerim_context.word_numbers('{orchard}', 'kestrel')",
        'SELECT count(*) FROM lerim_context.weighed_by_words(\'{"project": "{orchard}", "worths": {"kestrel": 1}}\')',
        "SELECT count(*) FROM lerim_context.weighed_by_words("
        '\'{"project": "{shop}", "worths": {"kestrel": 1, "orchard": 2}}\')',
        "SELECT lerim_context.may_read('{orchard}')::int",
        "SELECT set_config('lerim.few_vectors', '0', false)::int + count(*)"
        " FROM lerim_context.found_by_meaning('{orchard}', 'any@1', '{near}', 10)",
        "SELECT ts_rank(words, to_tsquery('kestrel')) FROM lerim_context.records WHERE project_id = '{orchard}'",
        "SELECT count(*) FROM lerim_context.projects WHERE id = '{orchard}' OR name LIKE 'orchard%'",
        "SELECT count(*) FROM lerim_context.versions WHERE snapshot LIKE '%Kestrel%'",
        "WITH gone AS (DELETE FROM lerim_context.records RETURNING 1) SELECT count(*) FROM gone",
        "WITH touched AS (UPDATE lerim_context.records SET body = '' RETURNING 1) SELECT count(*) FROM touched",
        "SELECT count(*) FROM pg_stats WHERE starts_with(schemaname, 'lerim_') AND attname = 'title'",
        "SELECT count(*) FROM pg_stat_activity WHERE usename <> current_user AND query <> '<insufficient privilege>'"
        " AND query IS NOT NULL",
        "SELECT count(*) FROM lerim_team.grants WHERE member <> lerim_team.member()",
        "SELECT count(*) FROM lerim_team.members WHERE name <> lerim_team.member()",
        "SELECT set_config('lerim.project', '{orchard}', false) IS NULL, count(*) FROM lerim_context.changes"
        " WHERE project_id = '{orchard}'",
    ],
)
def test_a_reader_counts_nothing_of_others_and_changes_nothing(shared: TeamWorld, sql: str) -> None:
    got = ask(
        shared.reader,
        sql.replace("{orchard}", shared.orchard.id).replace("{shop}", shared.shop.id).replace("{near}", NEAR),
    )
    assert got in ([], [(0,)], [(False, 0)])


@pytest.mark.parametrize(
    "sql",
    [
        "SET ROLE postgres",
        "SET ROLE {other}",
        "SET SESSION AUTHORIZATION {other}",
        "SET row_security = off; SELECT * FROM lerim_context.records",
        "CREATE FUNCTION public.starts_with(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT false'",
        "CREATE FUNCTION lerim_team.member() RETURNS text LANGUAGE sql AS 'SELECT 1'",
        "CREATE TABLE lerim_context.mine (a int)",
        "CREATE SCHEMA evil",
        "ALTER TABLE lerim_context.records DISABLE ROW LEVEL SECURITY",
        "DROP POLICY readers ON lerim_context.records",
        "CREATE POLICY mine ON lerim_context.records USING (true)",
        "CREATE VIEW lerim_context.all_of_it AS SELECT * FROM lerim_context.records",
        "CREATE TRIGGER mine AFTER INSERT ON lerim_context.records EXECUTE FUNCTION lerim_context.tell_change()",
        "TRUNCATE lerim_context.uses",
        "SELECT last_value FROM lerim_context.records_seq_seq",
        "SELECT nextval('lerim_context.records_seq_seq')",
        "SELECT digest FROM lerim_team.tokens",
        "SELECT id FROM lerim_team.audit",
        "SELECT * FROM lerim_team.audit",
        "DELETE FROM lerim_team.audit",
        "UPDATE lerim_team.audit SET who = 'somebody'",
        "INSERT INTO lerim_team.audit (who, via, action, what) VALUES ('{other}', 'sql', 'read', 'all of it')",
        "INSERT INTO lerim_team.members (name) VALUES ('mallory')",
        "INSERT INTO lerim_team.grants VALUES (lerim_team.member(), '*', 'admin')",
        "INSERT INTO lerim_team.grants VALUES (lerim_team.member(), '{orchard}', 'reader')",
        "UPDATE lerim_context.identity SET id = ''",
        "SELECT lerim_team.arm()",
        "SELECT lerim_team.watch('lerim_context', 'records')",
        "ALTER ROLE {me} SUPERUSER",
        "ALTER ROLE {me} BYPASSRLS",
        "GRANT {other} TO {me}",
        "CREATE ROLE mallory",
        "COPY lerim_context.records TO PROGRAM 'cat'",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT rolpassword FROM pg_authid",
        "INSERT INTO lerim_context.projects (id, root, name, created) VALUES ('prj-new', '/new', 'new', '')",
        "INSERT INTO lerim_context.uses VALUES ('{orchard}', 2, '', 1)",
    ],
)
def test_a_reader_is_refused(shared: TeamWorld, sql: str) -> None:
    me, other = (f"lerim_m_{shared.members[name]}" for name in ("reader", "other"))
    got = ask(shared.reader, sql.replace("{orchard}", shared.orchard.id).format(me=me, other=other))
    assert isinstance(got, str), got
    assert "InsufficientPrivilege" in got or "FeatureNotSupported" in got
    assert not any(word in got for word in (*SECRETS, shared.orchard.id))


def test_the_group_itself_may_see_nothing(shared: TeamWorld) -> None:
    with logged_in(shared.reader) as connection:
        connection.execute("SET ROLE lerim_members")
        assert connection.execute("SELECT count(*) FROM lerim_context.records").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM lerim_team.members").fetchone() == (0,)


def test_whatever_is_put_in_the_way_of_names_the_rules_stay_the_same(shared: TeamWorld) -> None:
    with logged_in(shared.reader) as connection:
        connection.execute("CREATE TEMP TABLE members (name text, login text, removed timestamptz)")
        connection.execute("CREATE TEMP TABLE grants (member text, project_id text, role text)")
        connection.execute("INSERT INTO grants VALUES (lerim_team.member(), '*', 'admin')")
        connection.execute("CREATE FUNCTION pg_temp.me() RETURNS text LANGUAGE sql AS $$ SELECT 'postgres' $$")
        connection.execute(
            "CREATE FUNCTION pg_temp.starts_with(text, text) RETURNS boolean LANGUAGE sql AS $$ SELECT false $$"
        )
        connection.execute("SET search_path = pg_temp, lerim_team, lerim_context, pg_catalog")
        assert connection.execute("SELECT title FROM lerim_context.records").fetchall() == [("Pay by invoice only",)]


def test_a_function_that_looks_at_every_row_is_not_asked_before_the_rules(shared: TeamWorld) -> None:
    with logged_in(shared.reader) as connection:
        heard: list[str] = []
        connection.add_notice_handler(lambda notice: heard.append(notice.message_primary))
        connection.execute(
            "CREATE FUNCTION pg_temp.tell(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001"
            " AS $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$"
        )
        connection.execute("SELECT 1 FROM lerim_context.records WHERE pg_temp.tell(title)")
    assert heard == ["Pay by invoice only"]


def test_those_who_may_find_do_and_nobody_else(shared: TeamWorld) -> None:
    """By words, by their counts and by meaning: members in their projects, admins in all but what is somebody's own."""
    import json

    shared.add("shop", "Invoices are due in June", "All of them.")
    keep = (
        "INSERT INTO lerim_context.vectors (project_id, model, record_seq, digest, vector)"
        f" SELECT project_id, 'any@1', seq, '', '{NEAR}' FROM lerim_context.records ON CONFLICT DO NOTHING"
    )
    shared.owner(keep)

    def found(url: str, project: str) -> tuple[int, int, int]:
        asked = json.dumps({"project": project, "every": False, "words": ["invoice", "kestrel"], "most": 9})
        return tuple(  # type: ignore[return-value]
            int(ask(url, sql)[0][0] or 0)  # type: ignore[call-overload]
            for sql in (
                f"SELECT count(*) FROM lerim_context.found_by_words('{asked}')",
                f"SELECT sum(held) FROM lerim_context.words_held('{asked}')",
                f"SELECT count(*) FROM lerim_context.found_by_meaning('{project}', 'any@1', '{NEAR}', 9)",
            )
        )

    shop, orchard = shared.shop.id, shared.orchard.id
    for url in (shared.url, shared.reader, shared.writer, shared.other):
        assert min(found(url, shop)) >= 2
    for url in (shared.url, shared.other):
        assert min(found(url, orchard)) >= 1
    for url in (shared.reader, shared.writer):
        assert (0, 0, 0) == found(url, orchard)
        assert (0, 0, 0) == found(url, "prj-0000000000")
    owner = f"global-{shared.members['reader']}"
    assert (0, 0, 0) == found(shared.other, owner)
    # A name in the way, and a role that was not given.
    with logged_in(shared.reader) as connection:
        connection.execute("CREATE TEMP TABLE records AS SELECT 1 AS seq")
        connection.execute("SET search_path = pg_temp, lerim_team, lerim_context, pg_catalog")
        asked = json.dumps({"project": orchard, "every": True, "words": ["kestrel"]})
        assert connection.execute("SELECT count(*) FROM found_by_words(%s)", (asked,)).fetchone() == (0,)
        connection.execute("SET ROLE lerim_members")
        asked = json.dumps({"project": shop, "every": True, "words": ["invoice"]})
        assert connection.execute("SELECT count(*) FROM lerim_context.found_by_words(%s)", (asked,)).fetchone() == (0,)


def test_a_token_narrows_what_is_found(shared: TeamWorld) -> None:
    asked = f'{{"project": "{shared.shop.id}", "every": true, "words": ["invoice"]}}'
    with logged_in(shared.reader) as connection:
        find = f"SELECT count(*) > 0 FROM lerim_context.found_by_words('{asked}')"
        assert connection.execute(find).fetchone() == (True,)
        connection.execute("SET lerim.token = '0000000000000000'")
        assert connection.execute(find).fetchone() == (False,)


def test_a_member_searches_by_the_indexes(shared: TeamWorld) -> None:
    """What the rules for rows would keep from being asked."""
    database = open_shared(shared.reader, "context")
    with database.read() as tx:
        tx.run("SET LOCAL enable_seqscan = off")  # Of so few records, whatever way is the same to it.
        scans = "SELECT pg_stat_get_xact_numscans('records_by_words'::regclass)"
        before = tx.rows(scans)[0][0]
        match = database.match(["invoice"], every=True, of=shared.shop.id)
        sql = f"SELECT r.title FROM {match.source} WHERE {match.where} ORDER BY {match.rank}, r.seq LIMIT 1"
        assert "nvoice" in tx.rows(sql, (match.value,))[0][0]
        assert tx.rows(scans)[0][0] > before


def test_what_is_expected_of_a_query_tells_nothing_of_what_others_wrote(shared: TeamWorld) -> None:
    shared.owner("ANALYZE lerim_context.records")
    expected = [
        ask(shared.reader, f"EXPLAIN SELECT 1 FROM lerim_context.records WHERE title = '{title}'")
        for title in ("Kestrel is the code name", "Nothing like it at all..")
    ]
    assert str(expected[0]).replace("Kestrel is the code name", "") == str(expected[1]).replace(
        "Nothing like it at all..", ""
    )


def test_trying_ids_and_roots_tells_nothing_of_what_is_taken(shared: TeamWorld) -> None:
    """Whether it is there or not: the same words."""
    tried = (
        "INSERT INTO lerim_context.projects (id, root, name, created) VALUES ('{id}', '{root}', 'mine', '')",
        "INSERT INTO lerim_context.projects (id, root, name, created) VALUES ('{id}', '{root}', 'mine', '')"
        " ON CONFLICT (root) DO NOTHING",
        "UPDATE lerim_context.projects SET root = '{root}' WHERE name = 'shop'",
        "INSERT INTO lerim_context.former_roots (root, project_id) VALUES ('{root}', '{id}')",
        "INSERT INTO lerim_context.changes (project_id, id, at, author, reason) VALUES ('{id}', 1, '', '', '')",
        "DELETE FROM lerim_context.projects WHERE id = '{id}'",
        "UPDATE lerim_context.projects SET name = 'mine' WHERE id = '{id}'",
    )
    shared.owner(
        "INSERT INTO lerim_context.former_roots VALUES ('/former', %s) ON CONFLICT DO NOTHING", (shared.orchard.id,)
    )
    for sql in tried:
        there = ask(shared.writer, sql.format(id=shared.orchard.id, root=shared.orchard.root))
        nowhere = ask(shared.writer, sql.format(id="prj-0000000000", root="/nowhere"))
        assert there == nowhere
        assert "Unique" not in str(there)
    own = f"INSERT INTO lerim_context.former_roots (root, project_id) VALUES ('/former', '{shared.shop.id}')"
    assert ask(shared.writer, own) == [(1,)]


def test_a_writer_writes_into_no_project_but_their_own(shared: TeamWorld) -> None:
    change = (
        "INSERT INTO lerim_context.changes (project_id, at, author, reason) VALUES ('{id}', '', '', '') RETURNING 1"
    )
    with logged_in(shared.writer) as connection, connection.transaction(force_rollback=True):
        assert connection.execute(change.format(id=shared.shop.id)).fetchone() == (1,)
    assert "InsufficientPrivilege" in ask(shared.writer, change.format(id=shared.orchard.id))
    moved = f"UPDATE lerim_context.records SET project_id = '{shared.orchard.id}'"
    assert "InsufficientPrivilege" in ask(shared.writer, moved)
    # What was written stays: no member who writes deletes a version or a memory.
    assert ask(shared.writer, "DELETE FROM lerim_context.versions") == [(0,)]
    assert ask(shared.writer, "DELETE FROM lerim_context.records") == [(0,)]


def test_nobody_reads_what_is_somebodys_own(shared: TeamWorld) -> None:
    name = shared.members["writer"]
    own = f"global-{name}"
    made = f"INSERT INTO lerim_context.projects VALUES ('{own}', 'person:{name}', 'global', '')"
    assert "InsufficientPrivilege" in ask(shared.other, made)
    assert ask(shared.writer, made) == [(1,)]
    told = f"INSERT INTO lerim_context.changes (project_id, at, author, reason) VALUES ('{own}', '', '', 'my diary')"
    assert ask(shared.writer, told) == [(1,)]
    for url in (shared.reader, shared.other):
        assert "diary" not in str(ask(url, "SELECT * FROM lerim_context.changes"))
        assert ask(url, f"SELECT count(*) FROM lerim_context.projects WHERE id = '{own}'") == [(0,)]
        assert ask(url, f"SELECT count(*) FROM lerim_team.audit WHERE project_id = '{own}'") == [(0,)]
        grant = f"INSERT INTO lerim_team.grants VALUES ('{shared.members['other']}', '{own}', 'reader')"
        assert isinstance(ask(url, grant), str)
    assert "diary" in str(ask(shared.writer, "SELECT * FROM lerim_context.changes"))


def test_an_admin_of_one_project_gives_rights_in_that_alone(shared: TeamWorld) -> None:
    url = shared.member("lead")
    shared.team.grant(shared.members["lead"], TeamRole.ADMIN, shared.shop)
    lead = Team(open_shared(url, "team"), url, os.urandom)
    lead.grant(shared.members["reader"], TeamRole.WRITER, shared.shop)
    lead.grant(shared.members["reader"], TeamRole.READER, shared.shop)
    with pytest.raises(NotAllowed):
        lead.grant(shared.members["reader"], TeamRole.READER, shared.orchard)
    with pytest.raises(NotAllowed):
        lead.grant(shared.members["lead"], TeamRole.ADMIN, None)
    with pytest.raises(NotFound):
        lead.revoke(shared.members["other"], None)
    with pytest.raises(NotAllowed):
        lead.add("mallory")
    assert [grant.project for grant in lead.me().grants] == ["shop"]


def test_those_who_listen_hear_no_name_of_a_project(shared: TeamWorld) -> None:
    with logged_in(shared.reader) as connection:
        connection.execute("LISTEN lerim_changes")
        shared.add("orchard-backend", "Plums first", "Plums are picked before pears.")
        heard = [notice.payload for notice in connection.notifies(timeout=60, stop_after=1)]
    assert heard and shared.orchard.id not in heard


def test_what_members_change_is_noted_whatever_they_change_it_with(shared: TeamWorld) -> None:
    ask(shared.writer, f"UPDATE lerim_context.projects SET name = 'shop' WHERE id = '{shared.shop.id}'")
    login = f"lerim_m_{shared.members['writer']}"
    noted = shared.owner(
        "SELECT via, action, project_id, amount FROM lerim_team.audit WHERE who = %s AND what = 'update projects'",
        (login,),
    )
    assert noted[-1] == ("sql", "write", shared.shop.id, 1)
    # It tells those who made it, and admins; and nobody takes it away.
    assert ask(shared.writer, "SELECT DISTINCT who FROM lerim_team.audit") == [(login,)]
    assert (login,) in ask(shared.other, "SELECT DISTINCT who FROM lerim_team.audit")


def test_a_member_who_was_removed_sees_nothing_more_on_an_open_connection(shared: TeamWorld) -> None:
    import psycopg

    url = shared.member("leaver")
    shared.team.grant(shared.members["leaver"], TeamRole.ADMIN, None)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM lerim_context.records").fetchone()[0] > 1  # type: ignore[index]
        shared.team.remove(shared.members.pop("leaver"))
        with pytest.raises(psycopg.Error):
            connection.execute("SELECT count(*) FROM lerim_context.records")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)


def test_a_name_is_given_again_only_to_the_same_person(shared: TeamWorld) -> None:
    name = f"back_{ME}"
    shared.team.add(name)
    with pytest.raises(Conflict):
        shared.team.add(name)
    shared.team.remove(name)
    with pytest.raises(Conflict, match="before"):
        shared.team.add(name)
    shared.team.add(name, is_back=True)
    shared.team.remove(name)
    with pytest.raises(NotFound):
        shared.team.remove(name)
    with pytest.raises(UsageError):
        shared.team.add('mallory"; DROP SCHEMA lerim_context CASCADE; --')


def test_a_member_does_their_everyday_work(shared: TeamWorld) -> None:
    database = open_shared(shared.writer, "context")
    memory = shared.memory(database, "shop")
    kept = memory.add(
        Draft(Primitive.LEARNING, "Invoices are numbered by year", "Each year starts with one.", Kind.INSIGHT)
    )
    kept = memory.revise(kept, reason="it is so", body="Each year starts at 1000.")
    memory.revise(kept, reason="by mistake", body="Each year starts at 5.")
    memory.undo()
    memory.touch([kept])
    memory.archive(memory.find(kept.record.id), reason="for now")
    memory.restore(memory.find(kept.record.id), reason="it holds")
    assert len(memory.history(memory.find(kept.record.id))) == 6
    assert memory.check() == []
    assert database.problems() == []
    reader = shared.memory(open_shared(shared.reader, "context"), "shop")
    assert reader.find(kept.record.id).record.body == "Each year starts at 1000."
    reader.touch([reader.find(kept.record.id)])
    with pytest.raises(NotAllowed):
        reader.add(Draft(Primitive.LEARNING, "Readers read", "They do not write.", Kind.INSIGHT))


def test_a_server_acts_for_a_member_and_has_their_rights_alone(shared: TeamWorld) -> None:
    role = f"lerim_m_{shared.members['reader']}"
    with PostgresDatabase(Address(shared.url, role), "context").read() as tx:
        assert tx.rows("SELECT DISTINCT project_id FROM records") == [(shared.shop.id,)]
    with PostgresDatabase(Address(shared.url), "context").read() as tx:
        assert len(tx.rows("SELECT DISTINCT project_id FROM records")) == 2


def test_an_owner_who_is_no_superuser_keeps_a_team(shared: TeamWorld) -> None:
    """As on most servers: a login that may make others, and owns its database."""
    keeper, name = f"keeper_{ME}", new_database()
    execute(f"CREATE ROLE {keeper} LOGIN CREATEROLE")
    execute(f"ALTER DATABASE {name} OWNER TO {keeper}")
    # The group is there already, made by another owner.
    execute(f"GRANT lerim_members TO {keeper} WITH ADMIN OPTION")
    url = url_of(name).replace("postgres@", f"{keeper}@")
    databases = {schema: open_shared(url, schema) for schema in SCHEMAS}
    team = Team(databases["team"], url, os.urandom)
    added = team.add(f"kept_{ME}")
    team.grant(added.name, TeamRole.READER, None)
    with PostgresDatabase(Address(url, f"lerim_m_{added.name}"), "context").read() as tx:
        assert tx.row("SELECT current_user, count(*) FROM projects") == (f"lerim_m_{added.name}", 0)
    with logged_in(added.url) as connection:
        team.remove(added.name)
        with pytest.raises(Exception, match=r"terminat|closed|does not exist"):
            connection.execute("SELECT 1")


def test_whoever_shares_with_nobody_has_no_roles_and_no_triggers() -> None:
    if not server():
        pytest.skip(MISSING)
    name = new_database()
    open_shared(url_of(name), "context")
    assert execute("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'lerim_noted%%'", name) == [(0,)]
    granted = "SELECT count(*) FROM information_schema.role_table_grants WHERE grantee = 'lerim_members'"
    assert execute(granted, name) == [(0,)]
