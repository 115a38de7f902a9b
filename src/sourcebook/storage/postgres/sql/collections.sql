-- name: delete_all_documents(collection_id)
-- With the words that were turned around.
with turned as (delete from postings where collection_id = :collection_id)
delete from documents where collection_id = :collection_id
