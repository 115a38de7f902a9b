-- name: claim_terms(collection_id, terms)
-- Each of `terms` is [term, chunks that hold it, documents that do]. New terms get an id; the counts grow.
insert into terms (collection_id, term, chunk_count, document_count)
select :collection_id, value ->> 0, value ->> 1, value ->> 2 from json_each(:terms) where true
on conflict (collection_id, term) do update set
    chunk_count = terms.chunk_count + excluded.chunk_count,
    document_count = terms.document_count + excluded.document_count
returning id, term

-- name: delete_unused_terms(term_ids)
delete from terms
where id in (select value from json_each(:term_ids)) and chunk_count = 0 and document_count = 0

-- name: insert_words(collection_id, document_id, chunk_id, length, term_ids, frequencies)
insert into words (collection_id, document_id, chunk_id, length, term_ids, frequencies)
values (:collection_id, :document_id, :chunk_id, :length, :term_ids, :frequencies)

-- name: words_of_chunks(collection_id, chunk_ids)
select w.document_id, w.chunk_id, w.term_ids
from json_each(:chunk_ids) wanted
cross join chunk_ids i on i.collection_id = :collection_id and i.chunk_id = wanted.value
join words w on w.collection_id = i.collection_id and w.document_id = i.document_id and w.chunk_id = i.chunk_id

-- name: words_of_documents(collection_id, document_ids)
select w.document_id, w.length, w.term_ids, w.frequencies
from json_each(:document_ids) wanted
cross join words w on w.collection_id = :collection_id and w.document_id = wanted.value

-- name: document_words(collection_id, document_ids)
select w.document_id, w.term_ids
from json_each(:document_ids) wanted
cross join document_words w on w.collection_id = :collection_id and w.document_id = wanted.value

-- name: terms_by_text(collection_id, terms)
select t.id, t.term, t.chunk_count, t.document_count
from json_each(:terms) wanted
cross join terms t on t.collection_id = :collection_id and t.term = wanted.value
order by t.term

-- name: forget_postings(collection_id, document_ids)
-- Nothing to do: whoever searches turns the words around in memory.

-- name: write_postings(collection_id, document_ids)
-- Nothing to do, for the same reason.
