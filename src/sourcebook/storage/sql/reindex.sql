-- name: put_model_set(collection_id, model_id, now)
insert into collection_models (collection_id, model_id, status, created_at)
values (:collection_id, :model_id, 'building', :now)
on conflict do nothing

-- name: model_set(collection_id, model_id)
select status from collection_models where collection_id = :collection_id and model_id = :model_id

-- name: unused_model_sets(collection_id)
-- Sets that are being built, or were in use until a switch and are being removed.
select s.model_id from collection_models s
join collections c on c.id = s.collection_id
where s.collection_id = :collection_id and s.model_id <> c.active_model_id
order by s.model_id

-- name: set_model_set_status(collection_id, model_id, status)
update collection_models set status = :status where collection_id = :collection_id and model_id = :model_id

-- name: drop_model_set(collection_id, model_id)
delete from collection_models where collection_id = :collection_id and model_id = :model_id

-- name: activate_model(collection_id, model_id, dimensions, now)
update collections set active_model_id = :model_id, embedding_dimensions = :dimensions, updated_at = :now
where id = :collection_id

-- name: chunks_lacking_vector(collection_id, model_id, document_id, chunk_id, limit)
-- A chunk without any text has nothing to be embedded.
select c.document_id, c.id, c.content, c.level, d.title
from document_chunks c
join documents d on d.collection_id = c.collection_id and d.id = c.document_id
where c.collection_id = :collection_id and (c.document_id, c.id) > (:document_id, :chunk_id) and c.content <> ''
  and not exists (select 1 from vectors v
                  where v.collection_id = c.collection_id and v.document_id = c.document_id and v.chunk_id = c.id
                    and v.model_id = :model_id)
order by c.document_id, c.id limit :limit

-- name: chunks_after(collection_id, document_id, chunk_id, limit)
select c.document_id, c.id, c.content, c.level, d.title
from document_chunks c
join documents d on d.collection_id = c.collection_id and d.id = c.document_id
where c.collection_id = :collection_id and (c.document_id, c.id) > (:document_id, :chunk_id) and c.content <> ''
order by c.document_id, c.id limit :limit

-- name: need_of_chunks(collection_id, model_id, document_id, chunk_id)
select count(*) as vectors, cast(coalesce(sum(octet_length(c.content)), 0) as bigint) as text_bytes
from document_chunks c
where c.collection_id = :collection_id and (c.document_id, c.id) > (:document_id, :chunk_id) and c.content <> ''
  and not exists (select 1 from vectors v
                  where v.collection_id = c.collection_id and v.document_id = c.document_id and v.chunk_id = c.id
                    and v.model_id = :model_id)

-- name: need_of_curated(collection_id, model_id)
select count(*) as vectors, cast(coalesce(sum(octet_length(coalesce(k.question, k.answer))), 0) as bigint) as text_bytes
from knowledge_base k
where k.collection_id = :collection_id
  and not exists (select 1 from knowledge_base_vectors v where v.knowledge_base_id = k.id and v.model_id = :model_id)

-- name: drop_vector(collection_id, document_id, chunk_id, model_id)
delete from vectors
where collection_id = :collection_id and document_id = :document_id and chunk_id = :chunk_id and model_id = :model_id

-- name: documents_with_vectors(collection_id, model_id, limit)
select distinct document_id from vectors
where collection_id = :collection_id and model_id = :model_id order by document_id limit :limit

-- name: curated_lacking_vector(collection_id, model_id, after, limit)
select k.id, k.question, k.answer, k.revision from knowledge_base k
where k.collection_id = :collection_id and k.id > :after
  and not exists (select 1 from knowledge_base_vectors v where v.knowledge_base_id = k.id and v.model_id = :model_id)
order by k.id limit :limit

-- name: curated_after(collection_id, after, limit)
select id, question, answer, revision from knowledge_base
where collection_id = :collection_id and id > :after order by id limit :limit

-- name: delete_curated_vector(knowledge_base_id, model_id)
delete from knowledge_base_vectors where knowledge_base_id = :knowledge_base_id and model_id = :model_id

-- name: insert_curated_vector(knowledge_base_id, model_id, vector, revision)
-- Only if the entry still is what the vector was made of.
insert into knowledge_base_vectors (knowledge_base_id, model_id, vector)
select k.id, :model_id, :vector from knowledge_base k
where k.id = :knowledge_base_id and k.revision = :revision

-- name: delete_curated_vectors_of_model(collection_id, model_id)
delete from knowledge_base_vectors
where model_id = :model_id
  and knowledge_base_id in (select k.id from knowledge_base k where k.collection_id = :collection_id)

-- name: wordings_lacking_vector(collection_id, model_id, after, limit)
select w.id, w.question from knowledge_base_wordings w
join knowledge_base k on k.id = w.knowledge_base_id
where k.collection_id = :collection_id and w.id > :after
  and not exists (select 1 from knowledge_base_wording_vectors v where v.wording_id = w.id and v.model_id = :model_id)
order by w.id limit :limit

-- name: wordings_after(collection_id, after, limit)
select w.id, w.question from knowledge_base_wordings w
join knowledge_base k on k.id = w.knowledge_base_id
where k.collection_id = :collection_id and w.id > :after order by w.id limit :limit

-- name: delete_wording_vectors_of_model(collection_id, model_id)
delete from knowledge_base_wording_vectors
where model_id = :model_id
  and wording_id in (select w.id from knowledge_base_wordings w join knowledge_base k on k.id = w.knowledge_base_id
                     where k.collection_id = :collection_id)

-- name: need_of_wordings(collection_id, model_id)
select count(*) as vectors, cast(coalesce(sum(octet_length(w.question)), 0) as bigint) as text_bytes
from knowledge_base_wordings w
join knowledge_base k on k.id = w.knowledge_base_id
where k.collection_id = :collection_id
  and not exists (select 1 from knowledge_base_wording_vectors v where v.wording_id = w.id and v.model_id = :model_id)

-- name: forget_changes_of_present_documents(collection_id)
-- Before they are all logged anew. What is logged of documents that are gone stays: somebody may still hold them.
delete from changes
where collection_id = :collection_id
  and document_id in (select d.id from documents d where d.collection_id = :collection_id)

-- name: words_of_bare_documents(collection_id)
-- Who brings chunks of his own chose which of them are found by words; that is known by their words alone.
select w.document_id, w.chunk_id
from words w
join documents d on d.collection_id = w.collection_id and d.id = w.document_id
where w.collection_id = :collection_id and d.is_bare = 1

-- name: documents_with_words(collection_id)
select document_id from document_words where collection_id = :collection_id

-- name: delete_all_document_words(collection_id)
delete from document_words where collection_id = :collection_id

-- name: reset_word_counters(collection_id, now)
update collection_counters
set word_rows = 0, word_length = 0, document_word_rows = 0, document_word_length = 0, updated_at = :now
where collection_id = :collection_id

-- name: texts_after(collection_id, document_id, limit)
select id, title, content, language, is_bare from documents
where collection_id = :collection_id and id > :document_id order by id limit :limit

-- name: put_info(key, value)
insert into base_info (key, value) values (:key, :value) on conflict (key) do update set value = excluded.value

-- name: info(key)
select value from base_info where key = :key

-- name: forget_info(key)
delete from base_info where key = :key
