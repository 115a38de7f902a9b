"""Empty bases on the server of the tests: one database is used again and again, and replaced when it was changed.

A copy of a database costs some hundred files. Most tests only put rows into it, so it is enough to take them out: the
rows that a new base has come back, the sequences begin anew, and nobody stays connected. A test that changed more than
rows (a table, an index, a function, a setting, statistics) leaves a database that is thrown away.
"""

from __future__ import annotations

import asyncio
import os
from itertools import count
from typing import TYPE_CHECKING, Any

from tests import postgres_server

if TYPE_CHECKING:
    from collections.abc import Coroutine

# Whatever could differ between two empty bases, besides rows, in one value.
_SCHEMA = """
select md5(string_agg(part, ' ' order by part)) from (
    select concat_ws(' ', 'relation', oid, relname, relkind, relnatts, relhastriggers, relowner, relacl, reloptions)
    from pg_class where relnamespace in (select oid from pg_namespace where nspname !~ '^pg_|^information_schema$')
    union all
    select concat_ws(' ', 'column', attrelid, attname, atttypid, attnotnull, atthasdef, attisdropped, attstorage,
        attidentity, attstattarget, attacl, attoptions)
    from pg_attribute where attrelid >= 16384
    union all
    select concat_ws(' ', 'index', indexrelid, indisvalid, indisready) from pg_index where indexrelid >= 16384
    union all
    select concat_ws(' ', 'constraint', oid, conname, convalidated, conbin) from pg_constraint where oid >= 16384
    union all
    select concat_ws(' ', 'default', adrelid, adnum, adbin) from pg_attrdef
    union all
    select concat_ws(' ', 'trigger', oid, tgname, tgenabled) from pg_trigger
    union all
    select concat_ws(' ', 'rule', oid, rulename) from pg_rewrite where oid >= 16384
    union all
    select concat_ws(' ', 'function', oid, proname, prosrc) from pg_proc where oid >= 16384
    union all
    select concat_ws(' ', 'type', oid, typname) from pg_type where oid >= 16384 and typtype <> 'c'
    union all
    select concat_ws(' ', 'schema', oid, nspname, nspacl) from pg_namespace where nspname !~ '^pg_(toast_)?temp_'
    union all
    select concat_ws(' ', 'extension', extname, extversion) from pg_extension
    union all
    select concat_ws(' ', 'statistics', starelid, staattnum) from pg_statistic where starelid >= 16384
    union all
    select concat_ws(' ', 'statistics', oid) from pg_statistic_ext
    union all
    select concat_ws(' ', 'sequence', seqrelid, seqstart, seqincrement) from pg_sequence
    union all
    select concat_ws(' ', 'setting', setrole, setconfig) from pg_db_role_setting
    where setdatabase = (select oid from pg_database where datname = current_database())
    union all
    select concat_ws(' ', 'database', datacl, datallowconn, datconnlimit) from pg_database
    where datname = current_database()
) parts(part)
"""

_DISCONNECT = """
select count(pg_terminate_backend(pid, 10000)) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid()
"""

# Those that others refer to come last, as the workers of a cluster keep to that.
_TABLES = """
select format('%I.%I', schemaname, tablename) as name from pg_tables
where schemaname = current_schema() order by tablename in ('collections', 'models'), 1
"""

# Bytes of a table up to which taking out its rows is cheaper than new files for it and its indexes.
_SMALL = 256 * 1024
# A table that already is as it should be costs a look at it.
_EMPTY_AGAIN = """
do $reset$
declare
    known record;
    name text;
    is_filled boolean;
    is_changed boolean;
    filled text[] := '{{}}';
begin
    -- Foreign keys have nothing to say when everything goes.
    set local session_replication_role = replica;
    set local citus.multi_shard_modify_mode = sequential;
    foreach name in array array[{empty}] loop
        execute format('select exists (select 1 from %s)', name) into is_filled;
        if is_filled and pg_relation_size(name) > {small} then
            filled := filled || name;
        elsif is_filled then
            execute format('delete from %s', name);
        end if;
    end loop;
    if filled <> '{{}}' then
        execute 'truncate ' || array_to_string(filled, ', ') || ' cascade';
    end if;
    for known in select * from (values {filled}) known(name, wanted) loop
        execute format('select json_agg(t order by t::text)::text is distinct from %L from %s t',
            known.wanted, known.name) into is_changed;
        if is_changed then
            execute format('delete from %s', known.name);
            execute format(
                'insert into %1$s overriding system value select * from json_populate_recordset(null::%1$s, %2$L)',
                known.name, known.wanted);
        end if;
    end loop;
    perform setval(format('%I.%I', schemaname, sequencename), start_value, false)
        from pg_sequences where last_value is not null;
end $reset$
"""


class Bases:
    """Lends addresses of empty bases on a server, one at a time."""

    def __init__(self, server: str, template: str) -> None:
        self._server = server
        self._template = template
        self._numbers = count()
        self._name: str | None = None
        self._schema = ""
        self._reset = ""

    def lend(self) -> str:
        if self._name is None:
            self._name = f"sourcebook_test_{os.getpid()}_{next(self._numbers)}"
            postgres_server.create_database(self._server, self._name, self._template)
            if not self._schema:
                _run(self._learn())
        return self._address

    def take_back(self) -> None:
        """Make the lent base empty for whoever comes next, or drop it."""
        if not _run(self._emptied()):
            self.drop()

    def drop(self) -> None:
        if self._name is not None:
            postgres_server.drop_database(self._server, self._name)
            self._name = None

    @property
    def _address(self) -> str:
        assert self._name is not None
        return postgres_server.at_database(self._server, self._name)

    async def _learn(self) -> None:
        """What an empty base looks like."""
        async with postgres_server.connected(self._address) as connection:
            self._schema = await connection.fetchval(_SCHEMA)
            empty: list[str] = []
            filled: list[str] = []
            for (name,) in await connection.fetch(_TABLES):
                rows = await connection.fetchval(
                    f"select quote_literal(json_agg(t order by t::text)::text) from {name} t"  # noqa: S608
                )
                if rows is None:
                    empty.append(f"'{name}'")
                else:
                    filled.append(f"('{name}', {rows})")
            self._reset = _EMPTY_AGAIN.format(small=_SMALL, empty=", ".join(empty), filled=", ".join(filled))

    async def _emptied(self) -> bool:
        async with postgres_server.connected(self._address) as connection:
            await connection.execute(_DISCONNECT)
            if await connection.fetchval(_SCHEMA) != self._schema:
                return False
            await connection.execute(self._reset)
            return True


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)
