-- name: bundle_chunks(collection_id, document_id, model_id)
select c.id, c.document_id, c.chunk_index, c.content, c.start_index, c.end_index, c.token_count, c.level, c.parent_id,
       c.section, c.page_number, c.metadata, c.created_at, coalesce(halfvec_send(v.vector), vector_send(v.wide_vector)) as packed_vector,
       w.chunk_id is not null as has_words
from document_chunks c
left join vectors v on v.collection_id = c.collection_id and v.document_id = c.document_id and v.chunk_id = c.id
    and v.model_id = :model_id
left join words w on w.collection_id = c.collection_id and w.document_id = c.document_id and w.chunk_id = c.id
where c.collection_id = :collection_id and c.document_id = :document_id
order by c.chunk_index, c.id
