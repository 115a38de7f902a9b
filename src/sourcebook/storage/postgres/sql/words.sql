-- name: claim_terms(collection_id, terms)
-- Each of `terms` is [term, chunks that hold it, documents that do]. New terms get an id; the counts grow. An `on conflict`
-- would use up an id for every term that is known; writers of a collection take turns, so that nobody comes in between.
with wanted as (
    select value ->> 0 as term, (value ->> 1)::bigint as chunks, (value ->> 2)::bigint as documents
    from jsonb_array_elements(:terms::jsonb)
), known as (
    update terms t set chunk_count = t.chunk_count + w.chunks, document_count = t.document_count + w.documents
    from wanted w where t.collection_id = :collection_id and t.term = w.term
    returning t.id, t.term
), added as (
    insert into terms (collection_id, term, chunk_count, document_count)
    select :collection_id, w.term, w.chunks, w.documents from wanted w
    where not exists (select 1 from terms t where t.collection_id = :collection_id and t.term = w.term)
    returning id, term
)
select id, term from known union all select id, term from added

-- name: delete_unused_terms(term_ids)
delete from terms
where id = any (:term_ids::bigint[]) and chunk_count = 0 and document_count = 0

-- name: insert_words(collection_id, document_id, chunk_id, length, term_ids, frequencies)
insert into words (collection_id, document_id, chunk_id, place, length, term_ids, frequencies)
select :collection_id, :document_id, :chunk_id, coalesce(max(w.place), 0) + 1, :length, :term_ids::integer[],
       :frequencies::integer[]
from words w where w.collection_id = :collection_id and w.document_id = :document_id

-- name: words_of_chunks(collection_id, chunk_ids)
select w.document_id, w.chunk_id, w.term_ids
from unnest(:chunk_ids::text[]) wanted (value)
join chunk_ids i on i.collection_id = :collection_id and i.chunk_id = wanted.value
join words w on w.collection_id = i.collection_id and w.document_id = i.document_id and w.chunk_id = i.chunk_id

-- name: words_of_documents(collection_id, document_ids)
select w.document_id, w.length, w.term_ids, w.frequencies
from unnest(:document_ids::text[]) wanted (value)
join words w on w.collection_id = :collection_id and w.document_id = wanted.value

-- name: document_words(collection_id, document_ids)
select w.document_id, w.term_ids
from unnest(:document_ids::text[]) wanted (value)
join document_words w on w.collection_id = :collection_id and w.document_id = wanted.value

-- name: forget_postings(collection_id, document_ids)
delete from postings where collection_id = :collection_id and document_id = any (:document_ids::text[])

-- name: write_postings(collection_id, document_ids)
-- A length of 2^24 words and more counts as one less.
insert into postings (collection_id, document_id, term_id, document_frequency, document_length, entries)
select :collection_id, coalesce(c.document_id, d.document_id), coalesce(c.term_id, d.term_id),
       coalesce(d.frequency, 0), coalesce(d.length, 0), coalesce(c.entries, '{}')
from (
    select w.document_id, t.term_id,
           array_agg((w.place::bigint << 40) + (t.frequency::bigint << 24) + least(w.length, 16777215) order by w.place)
               as entries
    from words w cross join unnest(w.term_ids, w.frequencies) as t (term_id, frequency)
    where w.collection_id = :collection_id and w.document_id = any (:document_ids::text[])
    group by w.document_id, t.term_id
) c
full join (
    select w.document_id, w.length::integer as length, t.term_id, t.frequency
    from document_words w cross join unnest(w.term_ids, w.frequencies) as t (term_id, frequency)
    where w.collection_id = :collection_id and w.document_id = any (:document_ids::text[])
) d on d.document_id = c.document_id and d.term_id = c.term_id
order by 2, 3
