-- name: place_of_chunks(collection_id, chunk_ids)
-- Where chunks of these ids are now, and by which ways they can be found.
select i.chunk_id, i.document_id, c.content,
       exists (select 1 from words w
               where w.collection_id = i.collection_id and w.document_id = i.document_id and w.chunk_id = i.chunk_id) as has_words,
       exists (select 1 from vectors v
               where v.collection_id = i.collection_id and v.document_id = i.document_id and v.chunk_id = i.chunk_id) as has_vector
from unnest(:chunk_ids::text[]) wanted (value)
join chunk_ids i on i.collection_id = :collection_id and i.chunk_id = wanted.value
join document_chunks c on c.collection_id = i.collection_id and c.document_id = i.document_id and c.id = i.chunk_id

-- name: insert_chunk(collection_id, document_id, chunk_id, chunk_index, content, start_index, end_index, token_count, level, parent_id, section, page_number, metadata, now)
-- With what filters see of it: see refresh_facts.
insert into document_chunks
    (collection_id, document_id, id, chunk_index, content, start_index, end_index, token_count, level, parent_id, section,
     page_number, metadata, own_facts, facts, created_at)
select d.collection_id, d.id, :chunk_id, :chunk_index, :content, :start_index, :end_index, :token_count, :level,
       :parent_id, :section, :page_number, :metadata, :chunk_facts::jsonb,
       jsonb_strip_nulls(jsonb_build_object(
           'type', jsonb_build_object('t', d.type), 'category', jsonb_build_object('t', d.category_key),
           'subcategory', jsonb_build_object('t', d.subcategory_key), 'language', jsonb_build_object('t', d.language),
           'title', jsonb_build_object('t', d.title), 'document_path', jsonb_build_object('t', d.file_path),
           'mtime', jsonb_build_object('n', d.mtime), 'page', jsonb_build_object('n', :page_number::bigint),
           'section', jsonb_build_object('t', :section::text))) || d.facts || :chunk_facts::jsonb,
       :now
from documents d
where d.collection_id = :collection_id and d.id = :document_id

-- name: insert_vector(collection_id, document_id, chunk_id, model_id, vector)
insert into vectors (collection_id, document_id, chunk_id, model_id, vector, wide_vector)
select c.id, :document_id, :chunk_id, :model_id,
       (case when c.distance_metric = 'cosine' then :vector::vector end)::halfvec,
       case when c.distance_metric <> 'cosine' then :vector::vector end
from collections c where c.id = :collection_id

-- name: document_totals(collection_id, document_ids)
-- What these documents weigh in the counters of their collection.
select d.id,
       (select count(*) from document_chunks c where c.collection_id = d.collection_id and c.document_id = d.id) as chunks,
       (select count(*) from words w where w.collection_id = d.collection_id and w.document_id = d.id) as word_rows,
       (select coalesce(sum(w.length), 0)::bigint from words w
        where w.collection_id = d.collection_id and w.document_id = d.id) as word_length,
       (select w.length from document_words w
        where w.collection_id = d.collection_id and w.document_id = d.id) as document_word_length
from unnest(:document_ids::text[]) wanted (value)
join documents d on d.collection_id = :collection_id and d.id = wanted.value

-- name: chunks_by_ids(collection_id, chunk_ids, model_id)
select c.id, c.document_id, c.chunk_index, c.content, c.start_index, c.end_index, c.token_count, c.level, c.parent_id,
       c.section, c.page_number, c.metadata, c.created_at, coalesce(halfvec_send(v.vector), vector_send(v.wide_vector)) as packed_vector, d.title, d.file_path, d.language
from unnest(:chunk_ids::text[]) wanted (value)
join chunk_ids i on i.collection_id = :collection_id and i.chunk_id = wanted.value
join document_chunks c on c.collection_id = i.collection_id and c.document_id = i.document_id and c.id = i.chunk_id
join documents d on d.collection_id = c.collection_id and d.id = c.document_id
left join vectors v on v.collection_id = c.collection_id and v.document_id = c.document_id and v.chunk_id = c.id
    and v.model_id = :model_id

-- name: chunks_of_document(collection_id, document_id, model_id)
select c.id, c.document_id, c.chunk_index, c.content, c.start_index, c.end_index, c.token_count, c.level, c.parent_id,
       c.section, c.page_number, c.metadata, c.created_at, coalesce(halfvec_send(v.vector), vector_send(v.wide_vector)) as packed_vector
from document_chunks c
left join vectors v on v.collection_id = c.collection_id and v.document_id = c.document_id and v.chunk_id = c.id
    and v.model_id = :model_id
where c.collection_id = :collection_id and c.document_id = :document_id
order by c.chunk_index, c.id
