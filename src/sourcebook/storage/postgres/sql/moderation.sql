-- name: case_counts(answers)
-- What waits for a person, by its collection: what nobody answered, what is out of date, and of the oldest answers those
-- of which something could not be confirmed. No draft is read as a whole.
select collection_id, count(*) as count from (
    select collection_id from moderation_queue where status = 'pending' and same_as is null and kind <> 'answer'
    union all
    select collection_id from (
        select collection_id, details from moderation_queue
        where status = 'pending' and same_as is null and kind = 'answer' order by id limit :answers
    ) oldest
    where (details::json -> 'weak')::text = 'true'
) waiting
group by collection_id

-- name: sources_of_documents(collection_id, document_ids)
-- What curated answers quote from these documents.
select s.knowledge_base_id, s.position, s.document_id, s.document_path, s.document_title, s.quote, s.file_hash, s.state,
       s.context_change, k.answer, k.language
from unnest(:document_ids::text[]) wanted (value)
join knowledge_base_sources s on s.collection_id = :collection_id and s.document_id = wanted.value
join knowledge_base k on k.id = s.knowledge_base_id
order by s.knowledge_base_id, s.position

-- name: quoted_documents(collection_id, document_ids)
-- What sources stand on, as it is now.
select d.id, d.file_hash, d.is_active, d.content, d.title
from unnest(:document_ids::text[]) wanted (value)
join documents d on d.collection_id = :collection_id and d.id = wanted.value

-- name: passages_with_sections(collection_id, document_ids)
select c.document_id, c.content, c.section
from unnest(:document_ids::text[]) wanted (value)
join document_chunks c on c.collection_id = :collection_id and c.document_id = wanted.value
where c.level = 'PARENT' or c.parent_id is null
order by c.document_id, c.chunk_index
