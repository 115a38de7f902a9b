-- name: documents_with_stored_file()
select file_path, stored_file, file_hash from documents where stored_file is not null order by stored_file

-- name: open_job_payloads()
-- Uploads that wait for their turn are named here and nowhere else.
select payload from jobs where status in ('pending', 'doing') order by id

-- name: stored_vectors()
select v.collection_id, v.document_id, v.chunk_id, v.model_id, c.distance_metric, v.vector
from vectors v join collections c on c.id = v.collection_id

-- name: delete_vector(collection_id, document_id, chunk_id, model_id)
delete from vectors
where collection_id = :collection_id and document_id = :document_id and chunk_id = :chunk_id and model_id = :model_id
