-- name: all_sources(collection_id)
select id, kind, root, options, scanned_at from sources where collection_id = :collection_id order by root

-- name: put_source(source_id, collection_id, kind, root, options, now)
insert into sources (id, collection_id, kind, root, options, created_at)
values (:source_id, :collection_id, :kind, :root, :options, :now)
on conflict (id) do update set kind = excluded.kind, root = excluded.root, options = excluded.options

-- name: delete_source(collection_id, source_id)
delete from sources where collection_id = :collection_id and id = :source_id

-- name: absorb_paths(collection_id, source_id, into_id, prefix)
-- The files lie where they lay; only whose they are changes.
update document_paths set source_id = :into_id, path = :prefix || path
where collection_id = :collection_id and source_id = :source_id

-- name: set_scanned(collection_id, source_id, now)
update sources set scanned_at = :now where collection_id = :collection_id and id = :source_id

-- name: paths_of_source(collection_id, source_id, after, limit)
-- A page at a time, in the order of the key.
select path, document_id, size, mtime, seen_at from document_paths
where collection_id = :collection_id and source_id = :source_id and path > :after
order by path limit :limit

-- name: see_path(collection_id, source_id, path, document_id, mtime, size, now)
-- Looked at and found as it was: only the time of the file may be another.
update document_paths set mtime = :mtime, size = :size, seen_at = :now
where collection_id = :collection_id and source_id = :source_id and path = :path and document_id = :document_id

-- name: leave_path(collection_id, source_id, path, document_id)
delete from document_paths
where collection_id = :collection_id and source_id = :source_id and path = :path and document_id = :document_id

-- name: leave_path_unseen_since(collection_id, source_id, path, document_id, seen_at)
-- Whoever saw the file later than we looked for it is right.
delete from document_paths
where collection_id = :collection_id and source_id = :source_id and path = :path and document_id = :document_id
  and seen_at <= :seen_at

-- name: set_status_and_layout(collection_id, document_id, processing_status, processing_error, layout, now)
update documents
set processing_status = :processing_status, processing_error = :processing_error, layout = :layout, updated_at = :now
where collection_id = :collection_id and id = :document_id

-- name: set_status_of_waiting(collection_id, document_id, processing_status, now)
update documents set processing_status = :processing_status, updated_at = :now
where collection_id = :collection_id and id = :document_id and processing_status in ('pending', 'processing')

-- name: label_document(collection_id, document_id, type, category, category_key, subcategory, subcategory_key, now)
update documents
set type = :type, category = :category, category_key = :category_key, subcategory = :subcategory,
    subcategory_key = :subcategory_key, updated_at = :now
where collection_id = :collection_id and id = :document_id

-- name: label_path(collection_id, source_id, path, subcategory, subcategory_key)
update document_paths set subcategory = :subcategory, subcategory_key = :subcategory_key
where collection_id = :collection_id and source_id = :source_id and path = :path

-- name: passage_count(collection_id, document_id)
select count(*) as passages from document_chunks
where collection_id = :collection_id and document_id = :document_id and level = 'PARENT'

-- name: stored_files()
-- The names of all files that are kept beside the base.
select stored_file from documents where stored_file is not null order by stored_file

-- name: payloads_of_open_jobs(kind, besides)
select payload from jobs where kind = :kind and status in ('pending', 'doing') and id <> :besides

-- name: documents_called(collection_id, name, ending)
-- By id, by the path that people are shown, or by the end of it.
select id, file_path from documents
where collection_id = :collection_id
  and (id = :name or file_path = :name or substr(file_path, length(file_path) - length(:ending) + 1) = :ending)
order by file_path, id limit 20
