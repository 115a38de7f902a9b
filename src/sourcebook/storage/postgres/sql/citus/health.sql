-- part: counted
-- The rows of each collection, as the workers count them.
counted as materialized (
    select collection_id, sum(documents)::bigint as documents, sum(chunks)::bigint as chunks,
           sum(word_rows)::bigint as word_rows, sum(word_length)::bigint as word_length,
           sum(document_word_rows)::bigint as document_word_rows, sum(document_word_length)::bigint as document_word_length
    from (
        select collection_id, count(*) filter (where chunk_count > 0) as documents, 0 as chunks, 0 as word_rows,
               0 as word_length, 0 as document_word_rows, 0 as document_word_length
        from documents group by collection_id
        union all
        select collection_id, 0, count(*), 0, 0, 0, 0 from document_chunks group by collection_id
        union all
        select collection_id, 0, 0, count(*), sum(length), 0, 0 from words group by collection_id
        union all
        select collection_id, 0, 0, 0, 0, count(*), sum(length) from document_words group by collection_id
    ) each_table
    group by collection_id
)

-- name: check_chunk_ids_without_chunk()
with there as materialized (select collection_id, document_id, id from document_chunks)
select count(*) as count, min(i.chunk_id) as example from chunk_ids i
where not exists (select 1 from there c
                  where c.collection_id = i.collection_id and c.document_id = i.document_id and c.id = i.chunk_id)

-- name: check_chunks_without_chunk_id()
with there as materialized (select collection_id, document_id, id from document_chunks)
select count(*) as count, min(c.id) as example from there c
where not exists (select 1 from chunk_ids i
                  where i.collection_id = c.collection_id and i.chunk_id = c.id and i.document_id = c.document_id)

-- name: check_chunks_missing_a_vector()
with complete as materialized (select collection_id, model_id from collection_models where status = 'complete')
select count(*) as count, min(c.id) as example
from document_chunks c
join documents d on d.collection_id = c.collection_id and d.id = c.document_id
join collections k on k.id = c.collection_id
join complete m on m.collection_id = c.collection_id
join models o on o.id = m.model_id
where not exists (select 1 from vectors v
                  where v.collection_id = c.collection_id and v.document_id = c.document_id and v.chunk_id = c.id
                    and v.model_id = m.model_id)
  and (exists (select 1 from vectors v
               where v.collection_id = c.collection_id and v.document_id = c.document_id and v.chunk_id = c.id)
       or (d.is_bare = 0 and m.model_id = k.active_model_id and o.name not like 'caller:%'
           and exists (select 1 from vectors v
                       where v.collection_id = c.collection_id and v.document_id = c.document_id
                         and v.model_id = m.model_id)))

-- name: check_vectors_of_foreign_models()
with known as materialized (select collection_id, model_id from collection_models)
select count(*) as count, min(v.chunk_id) as example from vectors v
where (v.collection_id, v.model_id) not in (select collection_id, model_id from known)

-- name: check_counters()
with {counted}
select count(*) as count, min(n.collection_id) as example
from collection_counters n
left join counted c on c.collection_id = n.collection_id
where (n.document_count, n.chunk_count, n.word_rows, n.word_length, n.document_word_rows, n.document_word_length)
      <> (coalesce(c.documents, 0), coalesce(c.chunks, 0), coalesce(c.word_rows, 0), coalesce(c.word_length, 0),
          coalesce(c.document_word_rows, 0), coalesce(c.document_word_length, 0))

-- name: check_hashes_without_document()
with there as materialized (select collection_id, id, file_hash from documents)
select count(*) as count, min(h.document_id) as example from document_hashes h
where not exists (select 1 from there d
                  where d.collection_id = h.collection_id and d.id = h.document_id and d.file_hash = h.file_hash)

-- name: check_documents_without_hash()
with there as materialized (select collection_id, id, file_hash from documents where file_hash is not null)
select count(*) as count, min(d.id) as example from there d
where not exists (select 1 from document_hashes h
                  where h.collection_id = d.collection_id and h.document_id = d.id and h.file_hash = d.file_hash)

-- name: check_paths_without_document()
with there as materialized (select collection_id, id from documents)
select count(*) as count, min(p.path) as example from document_paths p
where not exists (select 1 from there d where d.collection_id = p.collection_id and d.id = p.document_id)

-- name: check_curated_sources()
with there as materialized (select collection_id, id from documents)
select count(*) as count, min(s.knowledge_base_id) as example from knowledge_base_sources s
where s.state = 'current'
  and not exists (select 1 from there d where d.collection_id = s.collection_id and d.id = s.document_id)
