-- part: document_columns
-- What a document is besides its text and where it lies.
d.file_hash, d.file_size_bytes, d.mtime, d.type, d.category, d.subcategory, d.language, d.metadata, d.processing_status,
       d.processing_error, d.is_active, d.chunk_count

-- name: document_by_id(collection_id, document_id)
select d.id, d.content, d.title, d.file_path, d.layout, d.stored_file, d.indexed_at, {document_columns}
from documents d where d.collection_id = :collection_id and d.id = :document_id

-- name: document_by_hash(collection_id, file_hash)
select d.id, d.content, d.title, d.file_path, d.indexed_at, {document_columns}
from document_hashes h
join documents d on d.collection_id = h.collection_id and d.id = h.document_id
where h.collection_id = :collection_id and h.file_hash = :file_hash

-- name: all_documents(collection_id)
-- Without the text: a list is read often, a text one at a time.
select d.id, '' as content, d.title, d.file_path, d.indexed_at, {document_columns}
from documents d where d.collection_id = :collection_id order by d.file_path, d.id

-- name: put_document(collection_id, document_id, file_path, filename, title, content, file_hash, content_hash, file_size_bytes, mtime, type, category, category_key, subcategory, subcategory_key, language, metadata, layout, stored_file, processing_status, processing_error, is_active, now)
-- What was hidden stays hidden: is_active is taken only for a new document.
insert into documents
    (collection_id, id, file_path, filename, title, content, file_hash, content_hash, file_size_bytes, mtime, type, category,
     category_key, subcategory, subcategory_key, language, metadata, {facts_column} layout, stored_file, processing_status,
     processing_error, is_active, is_bare, indexed_at, created_at, updated_at)
values (:collection_id, :document_id, :file_path, :filename, :title, :content, :file_hash, :content_hash, :file_size_bytes,
        :mtime, :type, :category, :category_key, :subcategory, :subcategory_key, :language, :metadata, {facts_value} :layout,
        :stored_file, :processing_status, :processing_error, :is_active, 0, :now, :now, :now)
on conflict (collection_id, id) do update set
    file_path = excluded.file_path, filename = excluded.filename, title = excluded.title, content = excluded.content,
    file_hash = excluded.file_hash, content_hash = excluded.content_hash, file_size_bytes = excluded.file_size_bytes,
    mtime = excluded.mtime, type = excluded.type, category = excluded.category, category_key = excluded.category_key,
    subcategory = excluded.subcategory, subcategory_key = excluded.subcategory_key, language = excluded.language,
    metadata = excluded.metadata, {facts_update} layout = excluded.layout, stored_file = excluded.stored_file,
    processing_status = excluded.processing_status, processing_error = excluded.processing_error, is_bare = 0,
    indexed_at = excluded.indexed_at, updated_at = excluded.updated_at

-- name: part_of_documents(collection_id, after_path, after_id, status, category_key, subcategory_key, type, language, active, limit)
-- What `all_documents` lists, behind one of them. What is null does not matter.
select d.id, '' as content, d.title, d.file_path, d.indexed_at, {document_columns}
from documents d
where d.collection_id = :collection_id and (d.file_path, d.id) > (:after_path, :after_id)
  and (cast(:status as text) is null or d.processing_status = :status)
  and (cast(:category_key as text) is null or d.category_key = :category_key)
  and (cast(:subcategory_key as text) is null or d.subcategory_key = :subcategory_key)
  and (cast(:type as text) is null or d.type = :type)
  and (cast(:language as text) is null or d.language = :language)
  and (cast(:active as bigint) is null or d.is_active = :active)
order by d.file_path, d.id limit :limit

-- name: status_counts(collection_id)
-- An index alone answers it, so that it can be asked often.
select processing_status, count(*) as documents
from documents where collection_id = :collection_id group by processing_status

-- name: document_labels(collection_id)
-- What the documents that can be found are about; one spelling of each.
select min(category) as category, min(subcategory) as subcategory
from documents
where collection_id = :collection_id and is_active = 1 and chunk_count > 0
  and (category is not null or subcategory is not null)
group by category_key, subcategory_key

-- name: languages(collection_id)
-- A document of unknown language counts as one of the language '': its words are not stemmed. From one language to the
-- next by the index: a plain `distinct` would walk over every document.
with recursive spoken (language) as (
    select min(language) from documents where collection_id = :collection_id
    union all
    select (select min(language) from documents where collection_id = :collection_id and language > spoken.language)
    from spoken where spoken.language is not null
)
select language from spoken where language is not null
union all
select '' where exists (select 1 from documents where collection_id = :collection_id and language is null)
order by 1

-- name: document_state(collection_id, document_id)
select file_hash, is_bare from documents where collection_id = :collection_id and id = :document_id

-- name: insert_bare_document(collection_id, document_id, language, now)
-- A document that somebody's chunks belong to and of which nothing else is known.
insert into documents
    (collection_id, id, file_path, filename, content, language, processing_status, is_bare, indexed_at, created_at, updated_at)
values (:collection_id, :document_id, :document_id, :document_id, '', :language, 'completed', 1, :now, :now, :now)
on conflict (collection_id, id) do update set language = coalesce(documents.language, excluded.language)

-- name: delete_document(collection_id, document_id)
delete from documents where collection_id = :collection_id and id = :document_id

-- name: set_chunk_count(collection_id, document_id, chunk_count)
update documents set chunk_count = :chunk_count where collection_id = :collection_id and id = :document_id

-- name: set_active(collection_id, document_id, active, now)
update documents set is_active = :active, updated_at = :now
where collection_id = :collection_id and id = :document_id

-- name: relocate_document(collection_id, document_id, file_path, filename, subcategory, subcategory_key, mtime, now)
update documents
set file_path = :file_path, filename = :filename, subcategory = :subcategory, subcategory_key = :subcategory_key,
    mtime = coalesce(:mtime, mtime), updated_at = :now
where collection_id = :collection_id and id = :document_id

-- name: claim_hash(collection_id, file_hash, document_id)
insert into document_hashes (collection_id, file_hash, document_id) values (:collection_id, :file_hash, :document_id)
on conflict do nothing

-- name: hash_owner(collection_id, file_hash)
select document_id from document_hashes where collection_id = :collection_id and file_hash = :file_hash

-- name: release_hashes(collection_id, document_id)
delete from document_hashes where collection_id = :collection_id and document_id = :document_id

-- name: put_path(collection_id, source_id, path, document_id, subcategory, subcategory_key, mtime, size, now)
insert into document_paths
    (collection_id, source_id, path, document_id, subcategory, subcategory_key, mtime, size, seen_at)
values (:collection_id, :source_id, :path, :document_id, :subcategory, :subcategory_key, :mtime, :size, :now)
on conflict (collection_id, source_id, path) do update set
    document_id = excluded.document_id, subcategory = excluded.subcategory, subcategory_key = excluded.subcategory_key,
    mtime = excluded.mtime, size = excluded.size, seen_at = excluded.seen_at

-- name: path_owner(collection_id, source_id, path)
select document_id from document_paths
where collection_id = :collection_id and source_id = :source_id and path = :path

-- name: delete_path(collection_id, source_id, path)
delete from document_paths where collection_id = :collection_id and source_id = :source_id and path = :path

-- name: paths_of_document(collection_id, document_id)
select source_id, path, subcategory, mtime, size from document_paths
where collection_id = :collection_id and document_id = :document_id order by path, source_id

-- name: paths_by_status(collection_id, status)
with chosen as materialized (
    select d.id from documents d
    where d.collection_id = :collection_id and d.processing_status = :status
)
select p.document_id, p.source_id, p.path from chosen
join document_paths p on p.collection_id = :collection_id and p.document_id = chosen.id
order by p.document_id, p.path, p.source_id

-- name: delete_paths_of_document(collection_id, document_id)
delete from document_paths where collection_id = :collection_id and document_id = :document_id

-- name: log_change(collection_id, document_id)
insert into changes (collection_id, document_id) values (:collection_id, :document_id)

-- name: tracked_hash(collection_id, document_id)
select content_hash from documents where collection_id = :collection_id and id = :document_id

-- name: untrack_document(collection_id, document_id, now)
update documents set content_hash = null, file_hash = null, tracked_chunks = null, updated_at = :now
where collection_id = :collection_id and id = :document_id

-- name: tracked_documents(collection_id)
select id, content_hash, file_path, mtime, indexed_at,
       case when chunk_count > 0 then chunk_count else coalesce(tracked_chunks, 0) end as chunk_count
from documents where collection_id = :collection_id and content_hash is not null order by id
