-- name: recount_term(term_id, chunks, documents)
update terms set chunk_count = chunk_count + :chunks, document_count = document_count + :documents where id = :term_id

-- name: delete_words(collection_id, document_id, chunk_id)
delete from words where collection_id = :collection_id and document_id = :document_id and chunk_id = :chunk_id

-- name: insert_document_words(collection_id, document_id, length, term_ids, frequencies)
insert into document_words (collection_id, document_id, length, term_ids, frequencies)
values (:collection_id, :document_id, :length, :term_ids, :frequencies)

-- name: delete_document_words(collection_id, document_id)
delete from document_words where collection_id = :collection_id and document_id = :document_id

-- name: terms_by_prefix(collection_id, low, high, limit)
-- The most frequent ones first: the rest could hardly change a ranking.
select id, term, chunk_count, document_count from terms
where collection_id = :collection_id and term >= :low and term < :high
order by chunk_count desc, term limit :limit
