-- name: copy_shapes()
-- The tables of the base, with their columns and keys.
select c.relname::text as name,
       array(select a.attname::text from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
       array(select a.attname::text from pg_index i
             cross join lateral unnest(i.indkey) with ordinality n (number, place)
             join pg_attribute a on a.attrelid = c.oid and a.attnum = n.number
             where i.indrelid = c.oid and i.indisprimary order by n.place) as key
from pg_class c
where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
  and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
order by 1

-- name: copied_documents(after_collection, after_document, limit)
select collection_id, document_id from document_words
where (collection_id, document_id) > (:after_collection, :after_document)
order by collection_id, document_id limit :limit

-- name: facts_of_documents(collection_ids, document_ids)
select d.collection_id, d.id, d.facts::text as facts, jsonb_build_object(
           'type', jsonb_build_object('t', d.type), 'category', jsonb_build_object('t', d.category_key),
           'subcategory', jsonb_build_object('t', d.subcategory_key), 'language', jsonb_build_object('t', d.language),
           'title', jsonb_build_object('t', d.title), 'document_path', jsonb_build_object('t', d.file_path),
           'mtime', jsonb_build_object('n', d.mtime))::text as named
from unnest(:collection_ids::text[], :document_ids::text[]) wanted (collection_id, document_id)
join documents d on d.collection_id = wanted.collection_id and d.id = wanted.document_id

-- name: collection_metrics()
select id, distance_metric from collections

-- name: last_place(collection_id, document_id)
select coalesce(max(place), 0) as place from words where collection_id = :collection_id and document_id = :document_id

-- name: drop_all_postings()
truncate postings

-- name: numbers_to_continue()
-- The statements that let each table number its rows behind the last one that was copied.
select format('select setval(%L, greatest((select max(%I) from %I), 1))',
              pg_get_serial_sequence(quote_ident(c.relname), a.attname), a.attname, c.relname) as statement
from pg_attribute a
join pg_class c on c.oid = a.attrelid
where a.attidentity <> '' and c.relnamespace = current_schema()::regnamespace

-- name: count_for_the_planner()
analyze
