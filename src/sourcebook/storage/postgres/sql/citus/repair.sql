-- name: drop_stray_vectors()
with known as materialized (select collection_id, model_id from collection_models)
delete from vectors
where not exists (select 1 from document_chunks c
                  where c.collection_id = vectors.collection_id and c.document_id = vectors.document_id
                    and c.id = vectors.chunk_id)
   or (collection_id, model_id) not in (select collection_id, model_id from known)

-- name: drop_stray_chunk_ids()
with there as materialized (select collection_id, document_id, id from document_chunks)
delete from chunk_ids
where not exists (select 1 from there c
                  where c.collection_id = chunk_ids.collection_id and c.document_id = chunk_ids.document_id
                    and c.id = chunk_ids.chunk_id)

-- name: put_missing_chunk_ids()
with there as materialized (select collection_id, document_id, id from document_chunks)
insert into chunk_ids (collection_id, chunk_id, document_id)
select c.collection_id, c.id, c.document_id from there c
where not exists (select 1 from chunk_ids i where i.collection_id = c.collection_id and i.chunk_id = c.id)
on conflict do nothing

-- name: drop_stray_hashes()
with there as materialized (select collection_id, id, file_hash from documents)
delete from document_hashes
where not exists (select 1 from there d
                  where d.collection_id = document_hashes.collection_id and d.id = document_hashes.document_id
                    and d.file_hash = document_hashes.file_hash)

-- name: put_missing_hashes()
with there as materialized (select collection_id, id, file_hash from documents where file_hash is not null)
insert into document_hashes (collection_id, file_hash, document_id)
select d.collection_id, d.file_hash, d.id from there d
where not exists (select 1 from document_hashes h where h.collection_id = d.collection_id and h.file_hash = d.file_hash)
on conflict do nothing

-- name: drop_stray_paths()
with there as materialized (select collection_id, id from documents)
delete from document_paths
where not exists (select 1 from there d
                  where d.collection_id = document_paths.collection_id and d.id = document_paths.document_id)

-- name: correct_counters(now)
with {counted}
update collection_counters
set document_count = c.documents, chunk_count = c.chunks, word_rows = c.word_rows, word_length = c.word_length,
    document_word_rows = c.document_word_rows, document_word_length = c.document_word_length, updated_at = :now
from (
    select n.collection_id, coalesce(c.documents, 0) as documents, coalesce(c.chunks, 0) as chunks,
           coalesce(c.word_rows, 0) as word_rows, coalesce(c.word_length, 0) as word_length,
           coalesce(c.document_word_rows, 0) as document_word_rows, coalesce(c.document_word_length, 0) as document_word_length
    from collection_counters n
    left join counted c on c.collection_id = n.collection_id
) c
where c.collection_id = collection_counters.collection_id

-- name: mark_removed_sources()
with there as materialized (select collection_id, id from documents)
update knowledge_base_sources set state = 'removed'
where state = 'current'
  and not exists (select 1 from there d
                  where d.collection_id = knowledge_base_sources.collection_id
                    and d.id = knowledge_base_sources.document_id)

-- name: adopt_chunks(now)
with path as materialized (
    select p.collection_id, p.document_id, min(s.root || '/' || p.path) as whole_path, min(p.path) as path
    from document_paths p
    left join sources s on s.id = p.source_id
    group by p.collection_id, p.document_id
), lost as materialized (
    select distinct c.collection_id, c.document_id
    from document_chunks c
    join collections k on k.id = c.collection_id
    where not exists (select 1 from documents d where d.collection_id = c.collection_id and d.id = c.document_id)
)
insert into documents
    (collection_id, id, file_path, filename, content, processing_status, processing_error, is_bare, indexed_at, created_at,
     updated_at)
select l.collection_id, l.document_id, coalesce(p.whole_path, p.path, l.document_id), coalesce(p.path, l.document_id), '',
       'failed', 'the document was lost, and only its passages are left', 1, :now, :now, :now
from lost l
left join path p on p.collection_id = l.collection_id and p.document_id = l.document_id
