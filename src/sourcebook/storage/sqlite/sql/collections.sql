-- name: delete_all_documents(collection_id)
delete from documents where collection_id = :collection_id
