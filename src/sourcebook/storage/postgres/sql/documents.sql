-- part: facts_column
-- What filters look at, made of the columns and the metadata.
facts,

-- part: facts_value
:document_facts::jsonb,

-- part: facts_update
facts = excluded.facts,

-- name: document_headings(collection_id, document_ids)
select d.id, d.language, d.title
from unnest(:document_ids::text[]) wanted (value)
join documents d on d.collection_id = :collection_id and d.id = wanted.value

-- name: delete_bare_documents_without_chunks(collection_id, document_ids)
-- A document that was only made for its chunks goes with the last of them, unless it is tracked.
delete from documents
where collection_id = :collection_id and id = any (:document_ids::text[])
  and is_bare = 1 and content_hash is null
  and not exists (select 1 from document_chunks c where c.collection_id = documents.collection_id and c.document_id = documents.id)

-- name: forget_changes(collection_id, document_ids)
-- Only the latest change of a document matters to whoever catches up.
delete from changes where collection_id = :collection_id and document_id = any (:document_ids::text[])

-- name: track_document(collection_id, document_id, file_path, filename, title, content, content_hash, mtime, language, metadata, tracked_chunks, now)
insert into documents
    (collection_id, id, file_path, filename, title, content, content_hash, mtime, language, metadata, facts,
     processing_status, is_bare, tracked_chunks, indexed_at, created_at, updated_at)
values (:collection_id, :document_id, :file_path, :filename, :title, :content, :content_hash, :mtime, :language, :metadata,
        :document_facts::jsonb, 'completed', 1, :tracked_chunks, :now, :now, :now)
on conflict (collection_id, id) do update set
    file_path = excluded.file_path, filename = excluded.filename, title = excluded.title, content = excluded.content,
    content_hash = excluded.content_hash, mtime = excluded.mtime,
    language = coalesce(documents.language, excluded.language), metadata = excluded.metadata, facts = excluded.facts,
    tracked_chunks = excluded.tracked_chunks, indexed_at = excluded.indexed_at, updated_at = excluded.updated_at

-- name: bare_documents_with_words(collection_id, document_ids)
-- Those of the documents that are known by their chunks alone and have words, or had.
select d.id
from unnest(:document_ids::text[]) wanted (value)
join documents d on d.collection_id = :collection_id and d.id = wanted.value
where d.is_bare = 1 and (
    exists (select 1 from words w where w.collection_id = d.collection_id and w.document_id = d.id)
    or exists (select 1 from document_words w where w.collection_id = d.collection_id and w.document_id = d.id)
)

-- name: refresh_facts(collection_id, document_ids)
-- What filters see of a chunk: the named columns, over them its document's metadata, over that its own. A document may have
-- changed without its chunks.
update document_chunks c set facts = n.facts
from (
    select c.collection_id, c.document_id, c.id, jsonb_strip_nulls(jsonb_build_object(
               'type', jsonb_build_object('t', d.type), 'category', jsonb_build_object('t', d.category_key),
               'subcategory', jsonb_build_object('t', d.subcategory_key), 'language', jsonb_build_object('t', d.language),
               'title', jsonb_build_object('t', d.title), 'document_path', jsonb_build_object('t', d.file_path),
               'mtime', jsonb_build_object('n', d.mtime), 'page', jsonb_build_object('n', c.page_number),
               'section', jsonb_build_object('t', c.section))) || d.facts || c.own_facts as facts
    from documents d
    join document_chunks c on c.collection_id = d.collection_id and c.document_id = d.id
    where d.collection_id = :collection_id and d.id = any (:document_ids::text[])
) n
where c.collection_id = n.collection_id and c.document_id = n.document_id and c.id = n.id
  and c.facts is distinct from n.facts

-- name: documents_to_cite(collection_id, document_ids)
-- Texts as they lie there: one that a disk has damaged must not keep the others from being cited.
select d.id, convert_to(d.content, 'UTF8') as content, convert_to(d.title, 'UTF8') as title, convert_to(d.file_path, 'UTF8') as file_path, d.content_hash, d.is_bare,
       d.layout, d.stored_file, d.indexed_at, {document_columns}
from unnest(:document_ids::text[]) wanted (value)
join documents d on d.collection_id = :collection_id and d.id = wanted.value

-- name: metadata_names(collection_id)
-- Most passages have no metadata of their own.
select jsonb_object_keys(d.metadata::jsonb) as name from documents d where d.collection_id = :collection_id
union
select jsonb_object_keys(c.metadata::jsonb)
from document_chunks c where c.collection_id = :collection_id and c.metadata <> '{}'
