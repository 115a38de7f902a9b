-- name: cited_documents(collection_id, document_ids)
-- What citations stand on, as it is now.
select d.id, d.file_hash, d.is_active
from json_each(:document_ids) wanted
cross join documents d on d.collection_id = :collection_id and d.id = wanted.value

-- name: cited_texts(collection_id, document_ids)
-- The texts of those documents that are not as they were.
select d.id, d.content
from json_each(:document_ids) wanted
cross join documents d on d.collection_id = :collection_id and d.id = wanted.value
