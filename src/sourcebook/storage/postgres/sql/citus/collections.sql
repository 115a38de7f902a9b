-- name: collection_to_ask(collection_id)
with spoken as materialized (
    select distinct language from documents where collection_id = :collection_id
)
select c.id, c.name, c.description, c.embedding_dimensions, c.distance_metric, c.active_model_id, c.created_at,
       greatest(c.updated_at, n.updated_at) as updated_at,
       n.document_count, n.chunk_count, n.word_rows, n.word_length, n.document_word_rows, n.document_word_length,
       m.name as model_name, m.version as model_version, m.dimensions as model_dimensions,
       m.recipe as model_recipe, m.tokenizer_hash as model_tokenizer_hash, c.settings,
       (select string_agg(language, ',' order by language) from spoken) as languages,
       case when exists (select 1 from spoken where language is null) then 1 else 0 end as has_unknown_language,
       case when exists (select 1 from knowledge_base k where k.collection_id = c.id and k.is_active = 1)
            then 1 else 0 end as has_curated,
       case when exists (select 1 from moderation_queue q where q.collection_id = c.id
                         and q.status = 'rejected' and q.kind = 'answer' and q.same_as is null)
            then 1 else 0 end as has_rejected
from collections c
join collection_counters n on n.collection_id = c.id
join models m on m.id = c.active_model_id
where c.id = :collection_id
