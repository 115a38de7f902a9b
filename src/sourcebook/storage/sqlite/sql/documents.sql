-- part: facts_column
-- Filters read the columns and the metadata themselves.

-- part: facts_value

-- part: facts_update

-- name: document_headings(collection_id, document_ids)
-- A cross join keeps the order: left to itself, SQLite walks all documents and looks each up in the list.
select d.id, d.language, d.title
from json_each(:document_ids) wanted
cross join documents d on d.collection_id = :collection_id and d.id = wanted.value

-- name: delete_bare_documents_without_chunks(collection_id, document_ids)
-- A document that was only made for its chunks goes with the last of them, unless it is tracked.
delete from documents
where collection_id = :collection_id and id in (select value from json_each(:document_ids))
  and is_bare = 1 and content_hash is null
  and not exists (select 1 from document_chunks c where c.collection_id = documents.collection_id and c.document_id = documents.id)

-- name: forget_changes(collection_id, document_ids)
-- Only the latest change of a document matters to whoever catches up.
delete from changes where collection_id = :collection_id and document_id in (select value from json_each(:document_ids))

-- name: track_document(collection_id, document_id, file_path, filename, title, content, content_hash, mtime, language, metadata, tracked_chunks, now)
insert into documents
    (collection_id, id, file_path, filename, title, content, content_hash, mtime, language, metadata, processing_status,
     is_bare, tracked_chunks, indexed_at, created_at, updated_at)
values (:collection_id, :document_id, :file_path, :filename, :title, :content, :content_hash, :mtime, :language, :metadata,
        'completed', 1, :tracked_chunks, :now, :now, :now)
on conflict (collection_id, id) do update set
    file_path = excluded.file_path, filename = excluded.filename, title = excluded.title, content = excluded.content,
    content_hash = excluded.content_hash, mtime = excluded.mtime,
    language = coalesce(documents.language, excluded.language), metadata = excluded.metadata,
    tracked_chunks = excluded.tracked_chunks, indexed_at = excluded.indexed_at, updated_at = excluded.updated_at

-- name: bare_documents_with_words(collection_id, document_ids)
-- Those of the documents that are known by their chunks alone and have words, or had.
select d.id
from json_each(:document_ids) wanted
cross join documents d on d.collection_id = :collection_id and d.id = wanted.value
where d.is_bare = 1 and (
    exists (select 1 from words w where w.collection_id = d.collection_id and w.document_id = d.id)
    or exists (select 1 from document_words w where w.collection_id = d.collection_id and w.document_id = d.id)
)

-- name: refresh_facts(collection_id, document_ids)
-- Nothing to do: filters read the columns and the metadata themselves.

-- name: documents_to_cite(collection_id, document_ids)
-- Texts as they lie there: one that a disk has damaged must not keep the others from being cited.
select d.id, cast(d.content as blob) as content, cast(d.title as blob) as title, cast(d.file_path as blob) as file_path, d.content_hash, d.is_bare,
       d.layout, d.stored_file, d.indexed_at, {document_columns}
from json_each(:document_ids) wanted
cross join documents d on d.collection_id = :collection_id and d.id = wanted.value

-- name: metadata_names(collection_id)
-- Most passages have no metadata of their own.
select field.key as name
from documents d, json_each(d.metadata) field where d.collection_id = :collection_id
union
select field.key
from document_chunks c, json_each(c.metadata) field where c.collection_id = :collection_id and c.metadata <> '{}'
