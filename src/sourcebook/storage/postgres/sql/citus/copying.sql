-- name: copy_shapes()
-- The pieces of tables that a coordinator keeps for itself are none of the base's tables.
select c.relname::text as name,
       array(select a.attname::text from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
       array(select a.attname::text from pg_index i
             cross join lateral unnest(i.indkey) with ordinality n (number, place)
             join pg_attribute a on a.attrelid = c.oid and a.attnum = n.number
             where i.indrelid = c.oid and i.indisprimary order by n.place) as key
from pg_class c
where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and not relation_is_a_known_shard(c.oid)
  and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
order by 1

-- name: numbers_to_continue()
select format('select setval(%L, greatest((select max(%I) from %I), 1))',
              pg_get_serial_sequence(quote_ident(c.relname), a.attname), a.attname, c.relname) as statement
from pg_attribute a
join pg_class c on c.oid = a.attrelid
where a.attidentity <> '' and c.relnamespace = current_schema()::regnamespace and not relation_is_a_known_shard(c.oid)
