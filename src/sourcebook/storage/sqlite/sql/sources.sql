-- name: states_of_documents(collection_id, document_ids)
-- The layout is read only where it may say what could not be read: that of a book is long.
select d.id, d.file_hash, d.processing_status,
       case when d.processing_status in ('failed', 'needs_ocr') then d.layout else '{}' end as layout
from json_each(:document_ids) wanted
cross join documents d on d.collection_id = :collection_id and d.id = wanted.value

-- name: documents_also_elsewhere(collection_id, source_ids)
-- Documents of some sources that lie at a path of another source too.
select distinct o.document_id from document_paths o
where o.collection_id = :collection_id
  and o.source_id not in (select value from json_each(:source_ids))
  and o.document_id in (
      select p.document_id from document_paths p
      where p.collection_id = :collection_id and p.source_id in (select value from json_each(:source_ids))
  )

-- name: hash_owners(collection_id, hashes)
select h.file_hash, h.document_id
from json_each(:hashes) wanted
cross join document_hashes h on h.collection_id = :collection_id and h.file_hash = wanted.value

-- name: path_owners(collection_id, source_id, paths)
select p.path, p.document_id
from json_each(:paths) wanted
cross join document_paths p
    on p.collection_id = :collection_id and p.source_id = :source_id and p.path = wanted.value

-- name: paths_of_documents(collection_id, document_ids)
select p.document_id, p.source_id, p.path, p.subcategory, p.mtime, p.size
from json_each(:document_ids) wanted
cross join document_paths p on p.collection_id = :collection_id and p.document_id = wanted.value
order by p.document_id, p.path, p.source_id

-- name: document_heads(collection_id, document_ids)
-- Documents without their text.
select d.id, '' as content, d.title, d.file_path, d.layout, d.stored_file, d.indexed_at, {document_columns}
from json_each(:document_ids) wanted
cross join documents d on d.collection_id = :collection_id and d.id = wanted.value
