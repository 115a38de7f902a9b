-- name: revisions_of_documents(collection_id, document_ids)
-- The latest change of each document: whoever reads the same number later reads the same document.
select document_id, max(seq) as revision from changes
where collection_id = :collection_id and document_id in (select value from json_each(:document_ids))
group by document_id

-- name: delete_vectors_of_model(collection_id, model_id, document_ids)
delete from vectors
where collection_id = :collection_id and model_id = :model_id
  and document_id in (select value from json_each(:document_ids))

-- name: delete_all_words(collection_id)
delete from words where collection_id = :collection_id

-- name: chunk_texts_of_documents(collection_id, document_ids)
select c.document_id, c.id, c.content, c.level
from json_each(:document_ids) wanted
cross join document_chunks c on c.collection_id = :collection_id and c.document_id = wanted.value
order by c.document_id, c.id
