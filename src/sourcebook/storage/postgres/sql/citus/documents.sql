-- name: languages(collection_id)
-- Citus follows no recursion over documents, so each worker looks at all of its own.
select distinct coalesce(language, '') as language from documents where collection_id = :collection_id order by 1

-- name: known_categories(of_collection)
with kinds as materialized (
    select min(id) as id from documents
    where collection_id = :of_collection and subcategory_key is not null group by subcategory_key
), filed as materialized (
    select d.category, d.subcategory from kinds
    join documents d on d.collection_id = :of_collection and d.id = kinds.id
    where d.category is not null
), general as materialized (
    select distinct category, subcategory from documents
    where collection_id = :of_collection and subcategory_key is null and category is not null
)
select category, subcategory from filed
union
select category, subcategory from general
union
select category, subcategory from knowledge_base where collection_id = :of_collection and is_active = 1
order by 1, 2

-- name: refresh_facts(collection_id, document_ids)
-- What is made of columns by functions that are not immutable is read first, and then written.
with made as materialized (
    select c.document_id, c.id, jsonb_strip_nulls(jsonb_build_object(
               'type', jsonb_build_object('t', d.type), 'category', jsonb_build_object('t', d.category_key),
               'subcategory', jsonb_build_object('t', d.subcategory_key), 'language', jsonb_build_object('t', d.language),
               'title', jsonb_build_object('t', d.title), 'document_path', jsonb_build_object('t', d.file_path),
               'mtime', jsonb_build_object('n', d.mtime), 'page', jsonb_build_object('n', c.page_number),
               'section', jsonb_build_object('t', c.section))) || d.facts || c.own_facts as facts
    from documents d
    join document_chunks c on c.collection_id = d.collection_id and c.document_id = d.id
    where d.collection_id = :collection_id and d.id = any (:document_ids::text[])
)
update document_chunks c set facts = made.facts
from made
where c.collection_id = :collection_id and c.document_id = made.document_id and c.id = made.id
  and c.facts is distinct from made.facts

-- name: document_by_hash(collection_id, file_hash)
with owner as materialized (
    select document_id from document_hashes where collection_id = :collection_id and file_hash = :file_hash
)
select d.id, d.content, d.title, d.file_path, d.indexed_at, {document_columns}
from owner o
join documents d on d.collection_id = :collection_id and d.id = o.document_id
