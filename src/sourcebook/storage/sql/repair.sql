-- name: drop_stray_vectors()
delete from vectors
where not exists (select 1 from document_chunks c
                  where c.collection_id = vectors.collection_id and c.document_id = vectors.document_id
                    and c.id = vectors.chunk_id)
   or not exists (select 1 from collection_models m
                  where m.collection_id = vectors.collection_id and m.model_id = vectors.model_id)

-- name: drop_stray_words()
delete from words
where not exists (select 1 from document_chunks c
                  where c.collection_id = words.collection_id and c.document_id = words.document_id
                    and c.id = words.chunk_id)

-- name: drop_stray_document_words()
delete from document_words
where not exists (select 1 from documents d
                  where d.collection_id = document_words.collection_id and d.id = document_words.document_id)

-- name: adopt_chunks(now)
-- What is left of a document that was lost is findable by its chunks, until somebody adds the document again.
insert into documents
    (collection_id, id, file_path, filename, content, processing_status, processing_error, is_bare, indexed_at, created_at,
     updated_at)
select c.collection_id, c.document_id, coalesce(min(s.root || '/' || p.path), min(p.path), c.document_id),
       coalesce(min(p.path), c.document_id), '', 'failed', 'the document was lost, and only its passages are left', 1,
       :now, :now, :now
from document_chunks c
join collections k on k.id = c.collection_id
left join document_paths p on p.collection_id = c.collection_id and p.document_id = c.document_id
left join sources s on s.id = p.source_id
where not exists (select 1 from documents d where d.collection_id = c.collection_id and d.id = c.document_id)
group by c.collection_id, c.document_id

-- name: drop_chunks_without_collection()
delete from document_chunks
where not exists (select 1 from collections c where c.id = document_chunks.collection_id)

-- name: drop_stray_chunk_ids()
delete from chunk_ids
where not exists (select 1 from document_chunks c
                  where c.collection_id = chunk_ids.collection_id and c.document_id = chunk_ids.document_id
                    and c.id = chunk_ids.chunk_id)

-- name: put_missing_chunk_ids()
insert into chunk_ids (collection_id, chunk_id, document_id)
select c.collection_id, c.id, c.document_id from document_chunks c
where not exists (select 1 from chunk_ids i where i.collection_id = c.collection_id and i.chunk_id = c.id)
on conflict do nothing

-- name: drop_stray_hashes()
delete from document_hashes
where not exists (select 1 from documents d
                  where d.collection_id = document_hashes.collection_id and d.id = document_hashes.document_id
                    and d.file_hash = document_hashes.file_hash)

-- name: put_missing_hashes()
insert into document_hashes (collection_id, file_hash, document_id)
select d.collection_id, d.file_hash, d.id from documents d
where d.file_hash is not null
  and not exists (select 1 from document_hashes h where h.collection_id = d.collection_id and h.file_hash = d.file_hash)
on conflict do nothing

-- name: drop_stray_paths()
delete from document_paths
where not exists (select 1 from documents d
                  where d.collection_id = document_paths.collection_id and d.id = document_paths.document_id)

-- name: put_missing_models(now)
-- The name of a model that was lost is not known; its vectors are then like those that a caller brought.
insert into models (id, name, version, dimensions, recipe, tokenizer_hash, created_at)
select distinct c.active_model_id, 'caller:' || c.embedding_dimensions, 'lost ' || c.active_model_id,
       c.embedding_dimensions, '', '', cast(:now as bigint)
from collections c
where not exists (select 1 from models m where m.id = c.active_model_id)

-- name: put_missing_collection_models(now)
insert into collection_models (collection_id, model_id, status, created_at)
select c.id, c.active_model_id, 'complete', :now from collections c
join models m on m.id = c.active_model_id
where not exists (select 1 from collection_models m where m.collection_id = c.id and m.model_id = c.active_model_id)
on conflict do nothing

-- name: lost_documents()
-- Those that were adopted: rows made for chunks whose document is gone.
select collection_id, id from documents
where is_bare = 1 and processing_error = 'the document was lost, and only its passages are left'

-- name: put_missing_counters(now)
insert into collection_counters (collection_id, updated_at)
select c.id, :now from collections c
where not exists (select 1 from collection_counters n where n.collection_id = c.id)
on conflict do nothing

-- name: correct_chunk_counts()
update documents
set chunk_count = (select count(*) from document_chunks c
                   where c.collection_id = documents.collection_id and c.document_id = documents.id)
where chunk_count <> (select count(*) from document_chunks c
                      where c.collection_id = documents.collection_id and c.document_id = documents.id)

-- name: correct_counters(now)
update collection_counters
set document_count = (select count(*) from documents d
                      where d.collection_id = collection_counters.collection_id and d.chunk_count > 0),
    chunk_count = (select count(*) from document_chunks c where c.collection_id = collection_counters.collection_id),
    word_rows = (select count(*) from words w where w.collection_id = collection_counters.collection_id),
    word_length = (select cast(coalesce(sum(w.length), 0) as bigint) from words w
                   where w.collection_id = collection_counters.collection_id),
    document_word_rows = (select count(*) from document_words w
                          where w.collection_id = collection_counters.collection_id),
    document_word_length = (select cast(coalesce(sum(w.length), 0) as bigint) from document_words w
                            where w.collection_id = collection_counters.collection_id),
    updated_at = :now

-- name: mark_removed_sources()
update knowledge_base_sources set state = 'removed'
where state = 'current'
  and not exists (select 1 from documents d
                  where d.collection_id = knowledge_base_sources.collection_id
                    and d.id = knowledge_base_sources.document_id)

-- name: mark_stale_answers(now)
-- An answer that lost a source is not what was approved. Which one is told afterwards.
update knowledge_base set stale_since = :now, stale_reason = 'a source was removed'
where stale_since is null
  and exists (select 1 from knowledge_base_sources s
              where s.knowledge_base_id = knowledge_base.id and s.state = 'removed')

-- name: correct_term(term_id, chunks, documents)
update terms set chunk_count = :chunks, document_count = :documents where id = :term_id

-- name: drop_term(term_id)
delete from terms where id = :term_id

-- name: heal_text(collection_id, document_id, content, now)
update documents set content = :content, updated_at = :now
where collection_id = :collection_id and id = :document_id

-- name: heal_chunk(collection_id, document_id, chunk_id, content, start_index, end_index)
update document_chunks set content = :content, start_index = :start_index, end_index = :end_index
where collection_id = :collection_id and document_id = :document_id and id = :chunk_id

-- name: mark_damaged(collection_id, document_id, content_hash, status, reason, now)
update documents
set content_hash = :content_hash, file_hash = null, tracked_chunks = null,
    processing_status = coalesce(:status, processing_status), processing_error = coalesce(:reason, processing_error),
    updated_at = :now
where collection_id = :collection_id and id = :document_id

-- name: embedded_documents()
select distinct collection_id, document_id as id from vectors

-- name: documents_lacking_vectors()
-- Of the model that their collection uses; another one's vectors are made by building its set.
select c.collection_id, c.document_id as id,
       max(case when exists (select 1 from vectors v
                             where v.collection_id = c.collection_id and v.document_id = c.document_id)
                then 1 else 0 end) as has_vectors
from document_chunks c
join documents d on d.collection_id = c.collection_id and d.id = c.document_id
join collections k on k.id = c.collection_id
join models o on o.id = k.active_model_id
where o.name not like 'caller:%' and d.is_bare = 0
  and not exists (select 1 from vectors v
                  where v.collection_id = c.collection_id and v.document_id = c.document_id and v.chunk_id = c.id
                    and v.model_id = k.active_model_id)
group by c.collection_id, c.document_id
order by c.collection_id, c.document_id

-- name: vectorless_chunks(collection_id, document_id, model_id)
select c.id, c.document_id, c.chunk_index, c.content, c.start_index, c.end_index, c.token_count, c.level, c.parent_id,
       c.section, c.page_number, c.metadata, c.created_at, d.title
from document_chunks c
join documents d on d.collection_id = c.collection_id and d.id = c.document_id
where c.collection_id = :collection_id and c.document_id = :document_id
  and not exists (select 1 from vectors v
                  where v.collection_id = c.collection_id and v.document_id = c.document_id and v.chunk_id = c.id
                    and v.model_id = :model_id)
order by c.chunk_index, c.id

-- name: forget_derived_files()
delete from base_info where key like 'derived:%'

-- name: forget_cut_log()
delete from base_info where key = 'log_was_cut'
