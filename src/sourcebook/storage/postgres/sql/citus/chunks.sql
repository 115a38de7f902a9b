-- part: places_of_chunks
-- Which document holds a chunk is known on the coordinator. It is asked first, lest the ids of a whole collection be sent
-- to every worker.
with place as materialized (
    select i.document_id, i.chunk_id
    from unnest(:chunk_ids::text[]) wanted (value)
    join chunk_ids i on i.collection_id = :collection_id and i.chunk_id = wanted.value
)

-- name: place_of_chunks(collection_id, chunk_ids)
{places_of_chunks}
select c.id as chunk_id, c.document_id, c.content,
       exists (select 1 from words w
               where w.collection_id = c.collection_id and w.document_id = c.document_id and w.chunk_id = c.id) as has_words,
       exists (select 1 from vectors v
               where v.collection_id = c.collection_id and v.document_id = c.document_id and v.chunk_id = c.id) as has_vector
from place p
join document_chunks c on c.collection_id = :collection_id and c.document_id = p.document_id and c.id = p.chunk_id

-- name: chunks_by_ids(collection_id, chunk_ids, model_id)
{places_of_chunks}
select c.id, c.document_id, c.chunk_index, c.content, c.start_index, c.end_index, c.token_count, c.level, c.parent_id,
       c.section, c.page_number, c.metadata, c.created_at, coalesce(halfvec_send(v.vector), vector_send(v.wide_vector)) as packed_vector, d.title, d.file_path, d.language
from place p
join document_chunks c on c.collection_id = :collection_id and c.document_id = p.document_id and c.id = p.chunk_id
join documents d on d.collection_id = c.collection_id and d.id = c.document_id
left join vectors v on v.collection_id = c.collection_id and v.document_id = c.document_id and v.chunk_id = c.id
    and v.model_id = :model_id

-- name: results_by_ids(collection_id, chunk_ids)
{places_of_chunks}
select c.id, c.document_id, c.chunk_index, c.content, c.start_index, c.end_index, c.token_count, c.level, c.parent_id,
       c.section, c.page_number, c.metadata, c.created_at, d.title, d.file_path, d.language
from place p
join document_chunks c on c.collection_id = :collection_id and c.document_id = p.document_id and c.id = p.chunk_id
join documents d on d.collection_id = c.collection_id and d.id = c.document_id

-- name: words_of_chunks(collection_id, chunk_ids)
{places_of_chunks}
select w.document_id, w.chunk_id, w.term_ids
from place p
join words w on w.collection_id = :collection_id and w.document_id = p.document_id and w.chunk_id = p.chunk_id
