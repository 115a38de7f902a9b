-- name: derived_state(key)
-- Where the change log is, and the file that is true for what is derived from it.
select (select coalesce(max(seq), 0) from changes) as seq, (select value from base_info where key = :key) as record

-- name: changed_documents(collection_id, seq)
-- The plus keeps SQLite from its index of documents: it would read the whole log of the collection for what came last.
select document_id from changes where seq > :seq and +collection_id = :collection_id order by document_id

-- name: next_changes(seq, limit)
-- Of all collections: a limit on those of one would still read everything that was written to the others.
select collection_id, document_id from changes where seq > :seq order by seq limit :limit

-- name: chunks_of_documents(collection_id, document_ids)
select coalesce(sum(d.chunk_count), 0) as chunks
from json_each(:document_ids) wanted
cross join documents d on d.collection_id = :collection_id and d.id = wanted.value and d.is_active = 1

-- name: postings_of_documents(collection_id, document_ids)
-- Lengths stand in the head of a row: what they are the lengths of is not read.
select count(*) as passages, coalesce(sum(length(w.term_ids)), 0) / 4 + (
    select coalesce(sum(length(o.term_ids)), 0) / 4
    from json_each(:document_ids) wanted
    cross join document_words o on o.collection_id = :collection_id and o.document_id = wanted.value
) as postings
from json_each(:document_ids) wanted
cross join documents d on d.collection_id = :collection_id and d.id = wanted.value and d.is_active = 1
cross join words w on w.collection_id = d.collection_id and w.document_id = d.id

-- name: all_vector_rows(collection_id, model_id)
-- Every chunk that may be found, in the order of its document and id, with its vector if it has one.
select c.document_id, c.id, c.level, c.parent_id, c.start_index, c.end_index, c.rowid, v.vector
from document_chunks c
join documents d on d.collection_id = c.collection_id and d.id = c.document_id and d.is_active = 1
left join vectors v on v.collection_id = c.collection_id and v.document_id = c.document_id and v.chunk_id = c.id
    and v.model_id = :model_id
where c.collection_id = :collection_id
order by c.document_id, c.id

-- name: some_vector_rows(collection_id, model_id, document_ids)
select c.document_id, c.id, c.level, c.parent_id, c.start_index, c.end_index, c.rowid, v.vector
from json_each(:document_ids) wanted
cross join documents d on d.collection_id = :collection_id and d.id = wanted.value and d.is_active = 1
cross join document_chunks c on c.collection_id = d.collection_id and c.document_id = d.id
left join vectors v on v.collection_id = c.collection_id and v.document_id = c.document_id and v.chunk_id = c.id
    and v.model_id = :model_id
order by c.document_id, c.id

-- name: all_word_rows(collection_id)
select w.document_id, w.chunk_id, w.length, w.term_ids, w.frequencies
from words w
join documents d on d.collection_id = w.collection_id and d.id = w.document_id and d.is_active = 1
where w.collection_id = :collection_id
order by w.document_id, w.chunk_id

-- name: some_word_rows(collection_id, document_ids)
select w.document_id, w.chunk_id, w.length, w.term_ids, w.frequencies
from json_each(:document_ids) wanted
cross join documents d on d.collection_id = :collection_id and d.id = wanted.value and d.is_active = 1
cross join words w on w.collection_id = d.collection_id and w.document_id = d.id
order by w.document_id, w.chunk_id

-- name: all_document_word_rows(collection_id)
select document_id, length, term_ids, frequencies from document_words
where collection_id = :collection_id order by document_id

-- name: some_document_word_rows(collection_id, document_ids)
select w.document_id, w.length, w.term_ids, w.frequencies
from json_each(:document_ids) wanted
cross join document_words w on w.collection_id = :collection_id and w.document_id = wanted.value
order by w.document_id

-- name: all_document_columns(collection_id)
select id, type, category_key, subcategory_key, language, title, file_path, mtime
from documents where collection_id = :collection_id

-- name: some_document_columns(collection_id, document_ids)
select d.id, d.type, d.category_key, d.subcategory_key, d.language, d.title, d.file_path, d.mtime
from json_each(:document_ids) wanted
cross join documents d on d.collection_id = :collection_id and d.id = wanted.value

-- name: all_chunk_columns(collection_id)
select document_id, id, page_number, section from document_chunks
where collection_id = :collection_id order by document_id, id

-- name: some_chunk_columns(collection_id, document_ids)
select c.document_id, c.id, c.page_number, c.section
from json_each(:document_ids) wanted
cross join document_chunks c on c.collection_id = :collection_id and c.document_id = wanted.value
order by c.document_id, c.id

-- name: all_document_values(collection_id, path)
select id, json_type(metadata, :path), json_extract(metadata, :path) from documents
where collection_id = :collection_id and coalesce(json_type(metadata, :path), 'null') <> 'null'

-- name: some_document_values(collection_id, document_ids, path)
select d.id, json_type(d.metadata, :path), json_extract(d.metadata, :path)
from json_each(:document_ids) wanted
cross join documents d on d.collection_id = :collection_id and d.id = wanted.value
where coalesce(json_type(d.metadata, :path), 'null') <> 'null'

-- name: all_chunk_values(collection_id, path)
-- Most chunks have no metadata of their own, and comparing a short text is cheaper than reading it as JSON.
select document_id, id, json_type(metadata, :path), json_extract(metadata, :path) from document_chunks
where collection_id = :collection_id and metadata <> '{}' and coalesce(json_type(metadata, :path), 'null') <> 'null'
order by document_id, id

-- name: some_chunk_values(collection_id, document_ids, path)
select c.document_id, c.id, json_type(c.metadata, :path), json_extract(c.metadata, :path)
from json_each(:document_ids) wanted
cross join document_chunks c on c.collection_id = :collection_id and c.document_id = wanted.value
where c.metadata <> '{}' and coalesce(json_type(c.metadata, :path), 'null') <> 'null'
order by c.document_id, c.id

-- name: put_derived_file(key, value)
insert into base_info (key, value) values (:key, :value) on conflict (key) do update set value = excluded.value

-- name: forget_derived_file(key)
delete from base_info where key = :key

-- name: results_by_ids(collection_id, chunk_ids)
select c.id, c.document_id, c.chunk_index, c.content, c.start_index, c.end_index, c.token_count, c.level, c.parent_id,
       c.section, c.page_number, c.metadata, c.created_at, d.title, d.file_path, d.language
from json_each(:chunk_ids) wanted
cross join chunk_ids i on i.collection_id = :collection_id and i.chunk_id = wanted.value
join document_chunks c on c.collection_id = i.collection_id and c.document_id = i.document_id and c.id = i.chunk_id
join documents d on d.collection_id = c.collection_id and d.id = c.document_id

-- name: results_by_rowids(collection_id, rowids)
-- A row may have moved since its place was noted, so whoever asks compares the id. The language of the document lies
-- behind its text, which would have to be passed page by page.
select c.id, c.document_id, c.chunk_index, c.content, c.start_index, c.end_index, c.token_count, c.level, c.parent_id,
       c.section, c.page_number, c.metadata, c.created_at, d.title, d.file_path
from document_chunks c
cross join documents d on d.collection_id = c.collection_id and d.id = c.document_id
where c.rowid in (select value from json_each(:rowids)) and +c.collection_id = :collection_id
