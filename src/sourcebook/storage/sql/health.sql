-- name: check_vectors_without_chunk()
select count(*) as count, min(v.chunk_id) as example from vectors v
where not exists (select 1 from document_chunks c
                  where c.collection_id = v.collection_id and c.document_id = v.document_id and c.id = v.chunk_id)

-- name: check_words_without_chunk()
select count(*) as count, min(w.chunk_id) as example from words w
where not exists (select 1 from document_chunks c
                  where c.collection_id = w.collection_id and c.document_id = w.document_id and c.id = w.chunk_id)

-- name: check_document_words_without_document()
select count(*) as count, min(w.document_id) as example from document_words w
where not exists (select 1 from documents d where d.collection_id = w.collection_id and d.id = w.document_id)

-- name: check_chunks_without_document()
select count(*) as count, min(c.id) as example from document_chunks c
where not exists (select 1 from documents d where d.collection_id = c.collection_id and d.id = c.document_id)

-- name: check_chunk_ids_without_chunk()
select count(*) as count, min(i.chunk_id) as example from chunk_ids i
where not exists (select 1 from document_chunks c
                  where c.collection_id = i.collection_id and c.document_id = i.document_id and c.id = i.chunk_id)

-- name: check_chunks_without_chunk_id()
select count(*) as count, min(c.id) as example from document_chunks c
where not exists (select 1 from chunk_ids i
                  where i.collection_id = c.collection_id and i.chunk_id = c.id and i.document_id = c.document_id)

-- name: check_passages_without_words()
-- Documents known by their chunks alone may choose which of them are found by words.
select count(*) as count, min(c.id) as example
from document_chunks c
join documents d on d.collection_id = c.collection_id and d.id = c.document_id
where d.is_bare = 0 and c.level = 'PARENT'
  and not exists (select 1 from words w
                  where w.collection_id = c.collection_id and w.document_id = c.document_id and w.chunk_id = c.id)

-- name: check_chunks_missing_a_vector()
-- A chunk that one complete model has embedded, every complete model must have; and a document that was embedded here is
-- found by meaning in all of its chunks, or in none.
select count(*) as count, min(c.id) as example
from document_chunks c
join documents d on d.collection_id = c.collection_id and d.id = c.document_id
join collections k on k.id = c.collection_id
join collection_models m on m.collection_id = c.collection_id and m.status = 'complete'
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
select count(*) as count, min(v.chunk_id) as example from vectors v
where not exists (select 1 from collection_models m
                  where m.collection_id = v.collection_id and m.model_id = v.model_id)

-- name: check_chunk_counts()
select count(*) as count, min(d.id) as example from documents d
where d.chunk_count <> (select count(*) from document_chunks c
                        where c.collection_id = d.collection_id and c.document_id = d.id)

-- name: check_counters()
select count(*) as count, min(n.collection_id) as example from collection_counters n
where n.document_count <> (select count(*) from documents d where d.collection_id = n.collection_id and d.chunk_count > 0)
   or n.chunk_count <> (select count(*) from document_chunks c where c.collection_id = n.collection_id)
   or n.word_rows <> (select count(*) from words w where w.collection_id = n.collection_id)
   or n.word_length <> (select cast(coalesce(sum(w.length), 0) as bigint) from words w where w.collection_id = n.collection_id)
   or n.document_word_rows <> (select count(*) from document_words w where w.collection_id = n.collection_id)
   or n.document_word_length <> (select cast(coalesce(sum(w.length), 0) as bigint) from document_words w
                                 where w.collection_id = n.collection_id)

-- name: check_hashes_without_document()
select count(*) as count, min(h.document_id) as example from document_hashes h
where not exists (select 1 from documents d
                  where d.collection_id = h.collection_id and d.id = h.document_id and d.file_hash = h.file_hash)

-- name: check_documents_without_hash()
select count(*) as count, min(d.id) as example from documents d
where d.file_hash is not null
  and not exists (select 1 from document_hashes h
                  where h.collection_id = d.collection_id and h.document_id = d.id and h.file_hash = d.file_hash)

-- name: check_paths_without_document()
select count(*) as count, min(p.path) as example from document_paths p
where not exists (select 1 from documents d where d.collection_id = p.collection_id and d.id = p.document_id)

-- name: check_ledger()
select count(*) as count, min(u.id) as example from users u
where u.token_balance <> (select coalesce(sum(t.amount), 0) from token_transactions t where t.user_id = u.id)

-- name: check_documents_without_collection()
select count(*) as count, min(d.collection_id) as example from documents d
where not exists (select 1 from collections c where c.id = d.collection_id)

-- name: check_collections_without_model()
select count(*) as count, min(c.id) as example from collections c
where not exists (select 1 from models m where m.id = c.active_model_id)
   or not exists (select 1 from collection_models m where m.collection_id = c.id and m.model_id = c.active_model_id)

-- name: check_collections_without_counters()
select count(*) as count, min(c.id) as example from collections c
where not exists (select 1 from collection_counters n where n.collection_id = c.id)

-- name: check_children_without_passage()
select count(*) as count, min(c.id) as example from document_chunks c
where c.level = 'CHILD'
  and not exists (select 1 from document_chunks p
                  where p.collection_id = c.collection_id and p.document_id = c.document_id and p.id = c.parent_id)

-- name: check_curated_drafts()
select count(*) as count, min(k.id) as example from knowledge_base k
where k.draft_id is not null and not exists (select 1 from moderation_queue q where q.id = k.draft_id)

-- name: check_curated_sources()
-- A source that went away is marked so in the transaction that takes it away.
select count(*) as count, min(s.knowledge_base_id) as example from knowledge_base_sources s
where s.state = 'current'
  and not exists (select 1 from documents d where d.collection_id = s.collection_id and d.id = s.document_id)

-- name: stuck_jobs(now)
select count(*) as count, min(id) as example from jobs where status = 'doing' and lease_until < :now

-- name: failed_jobs()
select count(*) as count, min(error) as example from jobs where status = 'failed'

-- name: curated_without_vector()
select count(*) as count, min(k.id) as example
from knowledge_base k
join collections c on c.id = k.collection_id
where k.is_active = 1
  and not exists (select 1 from knowledge_base_vectors v
                  where v.knowledge_base_id = k.id and v.model_id = c.active_model_id)

-- name: unfinished_models()
-- Sets of vectors that are being built beside the ones in use, or were until somebody stopped.
select count(*) as count, min(m.collection_id) as example from collection_models m where m.status = 'building'

-- name: documents_by_status()
select processing_status, count(*) as count, min(file_path) as example from documents
where processing_status <> 'completed' group by processing_status order by processing_status

-- name: examined_ids()
select collection_id, id from documents order by collection_id, id

-- name: all_terms()
select id, collection_id, term, chunk_count, document_count from terms order by collection_id, term

-- name: all_words()
select collection_id, document_id, chunk_id, length, term_ids, frequencies from words
order by collection_id, document_id, chunk_id

-- name: all_document_words()
select collection_id, document_id, length, term_ids, frequencies from document_words order by collection_id, document_id

-- name: base_counts()
select (select count(*) from collections) as collections,
       (select count(*) from documents) as documents,
       (select count(*) from document_chunks) as chunks,
       (select count(*) from vectors) as vectors,
       (select count(*) from words) as word_rows,
       (select count(*) from terms) as terms,
       (select count(*) from users) as users,
       (select count(*) from chat_sessions) as sessions,
       (select count(*) from knowledge_base) as curated_answers,
       (select count(*) from jobs where status in ('pending', 'doing')) as open_jobs

-- name: open_jobs_by_kind()
select kind, count(*) as count from jobs where status in ('pending', 'doing') group by kind order by kind

-- name: base_info()
select key, value from base_info order by key

-- name: schema_version()
select max(version) as version from schema_migrations
