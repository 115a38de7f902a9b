-- name: collection_by_id(collection_id)
select c.id, c.name, c.description, c.embedding_dimensions, c.distance_metric, c.active_model_id, c.created_at,
       case when c.updated_at > n.updated_at then c.updated_at else n.updated_at end as updated_at,
       n.document_count, n.chunk_count, n.word_rows, n.word_length, n.document_word_rows, n.document_word_length,
       m.name as model_name, m.version as model_version, m.dimensions as model_dimensions,
       m.recipe as model_recipe, m.tokenizer_hash as model_tokenizer_hash
from collections c
join collection_counters n on n.collection_id = c.id
join models m on m.id = c.active_model_id
where c.id = :collection_id

-- name: collection_to_ask(collection_id)
-- All that a question must know of a collection, at once: its model, its languages, and what was chosen for it alone.
with recursive spoken (language) as (
    select min(language) from documents where collection_id = :collection_id
    union all
    select (select min(language) from documents where collection_id = :collection_id and language > spoken.language)
    from spoken where spoken.language is not null
)
select c.id, c.name, c.description, c.embedding_dimensions, c.distance_metric, c.active_model_id, c.created_at,
       case when c.updated_at > n.updated_at then c.updated_at else n.updated_at end as updated_at,
       n.document_count, n.chunk_count, n.word_rows, n.word_length, n.document_word_rows, n.document_word_length,
       m.name as model_name, m.version as model_version, m.dimensions as model_dimensions,
       m.recipe as model_recipe, m.tokenizer_hash as model_tokenizer_hash, c.settings,
       (select string_agg(language, ',') from spoken where language is not null) as languages,
       case when exists (select 1 from documents where collection_id = :collection_id and language is null)
            then 1 else 0 end as has_unknown_language,
       case when exists (select 1 from knowledge_base k where k.collection_id = c.id and k.is_active = 1)
            then 1 else 0 end as has_curated,
       case when exists (select 1 from moderation_queue q where q.collection_id = c.id
                         and q.status = 'rejected' and q.kind = 'answer' and q.same_as is null)
            then 1 else 0 end as has_rejected
from collections c
join collection_counters n on n.collection_id = c.id
join models m on m.id = c.active_model_id
where c.id = :collection_id

-- name: all_collections()
select c.id, c.name, c.description, c.embedding_dimensions, c.distance_metric, c.active_model_id, c.created_at,
       case when c.updated_at > n.updated_at then c.updated_at else n.updated_at end as updated_at,
       n.document_count, n.chunk_count, n.word_rows, n.word_length, n.document_word_rows, n.document_word_length,
       m.name as model_name, m.version as model_version, m.dimensions as model_dimensions,
       m.recipe as model_recipe, m.tokenizer_hash as model_tokenizer_hash
from collections c
join collection_counters n on n.collection_id = c.id
join models m on m.id = c.active_model_id
order by c.id

-- name: collection_settings(collection_id)
select settings from collections where id = :collection_id

-- name: set_collection_settings(collection_id, settings, now)
update collections set settings = :settings, updated_at = :now where id = :collection_id

-- name: insert_model(name, version, dimensions, recipe, tokenizer_hash, now)
insert into models (name, version, dimensions, recipe, tokenizer_hash, created_at)
values (:name, :version, :dimensions, :recipe, :tokenizer_hash, :now)
on conflict do nothing

-- name: model_id(name, version, dimensions, recipe, tokenizer_hash)
select id from models
where name = :name and version = :version and dimensions = :dimensions and recipe = :recipe
  and tokenizer_hash = :tokenizer_hash

-- name: insert_collection(collection_id, name, description, embedding_dimensions, distance_metric, model_id, now)
insert into collections
    (id, name, description, embedding_dimensions, distance_metric, active_model_id, created_at, updated_at)
values (:collection_id, :name, :description, :embedding_dimensions, :distance_metric, :model_id, :now, :now)
on conflict do nothing

-- name: insert_collection_counters(collection_id, now)
insert into collection_counters (collection_id, updated_at) values (:collection_id, :now)

-- name: insert_collection_model(collection_id, model_id, status, now)
insert into collection_models (collection_id, model_id, status, created_at)
values (:collection_id, :model_id, :status, :now)

-- name: add_to_counters(collection_id, documents, chunks, word_rows, word_length, document_word_rows, document_word_length, now)
update collection_counters
set document_count = document_count + :documents,
    chunk_count = chunk_count + :chunks,
    word_rows = word_rows + :word_rows,
    word_length = word_length + :word_length,
    document_word_rows = document_word_rows + :document_word_rows,
    document_word_length = document_word_length + :document_word_length,
    updated_at = :now
where collection_id = :collection_id

-- name: log_change_of_all_documents(collection_id)
insert into changes (collection_id, document_id)
select collection_id, id from documents where collection_id = :collection_id order by id

-- name: delete_all_chunk_ids(collection_id)
delete from chunk_ids where collection_id = :collection_id

-- name: delete_all_hashes(collection_id)
delete from document_hashes where collection_id = :collection_id

-- name: delete_all_paths(collection_id)
delete from document_paths where collection_id = :collection_id

-- name: delete_all_terms(collection_id)
delete from terms where collection_id = :collection_id

-- name: delete_all_sources(collection_id)
delete from sources where collection_id = :collection_id

-- name: delete_all_curated(collection_id)
delete from knowledge_base where collection_id = :collection_id

-- name: reset_counters(collection_id, now)
update collection_counters
set document_count = 0, chunk_count = 0, word_rows = 0, word_length = 0, document_word_rows = 0,
    document_word_length = 0, updated_at = :now
where collection_id = :collection_id

-- name: delete_counters(collection_id)
delete from collection_counters where collection_id = :collection_id

-- name: delete_collection_models(collection_id)
-- The reference does it, but for a base that is spread over servers.
delete from collection_models where collection_id = :collection_id

-- name: delete_user_bindings(collection_id)
delete from user_collections where collection_id = :collection_id

-- name: delete_api_key_bindings(collection_id)
delete from api_key_collections where collection_id = :collection_id

-- name: delete_empty_collection(collection_id)
-- Only when nobody added a document since the collection was emptied.
delete from collections
where id = :collection_id and not exists (select 1 from documents where collection_id = :collection_id)
