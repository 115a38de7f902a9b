-- name: check_engine()
-- What the database itself found wrong with its pages.
select coalesce(checksum_failures, 0) as count, datname::text as example
from pg_stat_database where datname = current_database()

-- name: check_foreign_keys()
-- The database keeps them, unless somebody switched one off.
select count(*) as count, min(conname::text) as example from pg_constraint
where contype = 'f' and not convalidated and connamespace = current_schema()::regnamespace

-- name: check_documents_without_words()
select count(*) as count, min(d.id) as example from documents d
where d.is_bare = 0 and d.chunk_count > 0
  and exists (select 1 from words w
              where w.collection_id = d.collection_id and w.document_id = d.id and cardinality(w.term_ids) > 0)
  and not exists (select 1 from document_words w where w.collection_id = d.collection_id and w.document_id = d.id)

-- name: check_vectors_of_wrong_size()
select count(*) as count, min(v.chunk_id) as example
from vectors v
join models m on m.id = v.model_id
where coalesce(vector_dims(v.vector), vector_dims(v.wide_vector)) <> m.dimensions

-- name: check_texts_without_chunks()
select count(*) as count, min(d.id) as example from documents d
where d.is_bare = 0 and d.processing_status = 'completed' and d.chunk_count = 0
  and trim(d.content, E' \t\n\x0b\f\r') <> ''

-- name: check_broken_metadata()
-- What is no JSON cannot be shown, so nothing of its document can.
select count(*) as count, min(broken.id) as example
from (select d.id from documents d where not (d.metadata is json)
      union all
      select c.document_id from document_chunks c where not (c.metadata is json)) broken

-- name: examined_documents(collection_id, document_ids)
-- Texts as they lie there: bytes that are no text any more must not keep the others from being read.
select d.id, convert_to(d.file_path, 'UTF8') as file_path, convert_to(d.title, 'UTF8') as title, d.language, d.is_bare, d.content_hash, convert_to(d.content, 'UTF8') as content
from unnest(:document_ids::text[]) wanted (value)
join documents d on d.collection_id = :collection_id and d.id = wanted.value

-- name: examined_chunks(collection_id, document_ids)
select c.document_id, c.id, c.level, c.parent_id, c.start_index, c.end_index, convert_to(c.content, 'UTF8') as content
from unnest(:document_ids::text[]) wanted (value)
join document_chunks c on c.collection_id = :collection_id and c.document_id = wanted.value
order by c.document_id, c.chunk_index, c.id

-- name: examined_words(collection_id, document_ids)
select w.document_id, w.chunk_id, w.length, w.term_ids, w.frequencies
from unnest(:document_ids::text[]) wanted (value)
join words w on w.collection_id = :collection_id and w.document_id = wanted.value

-- name: examined_document_words(collection_id, document_ids)
select w.document_id, w.length, w.term_ids, w.frequencies
from unnest(:document_ids::text[]) wanted (value)
join document_words w on w.collection_id = :collection_id and w.document_id = wanted.value
