-- name: check_engine()
-- What the database itself finds wrong with its file.
select count(*) as count, min(integrity_check) as example
from pragma_integrity_check where integrity_check <> 'ok'

-- name: check_foreign_keys()
select count(*) as count, min("table") as example from pragma_foreign_key_check

-- name: check_documents_without_words()
select count(*) as count, min(d.id) as example from documents d
where d.is_bare = 0 and d.chunk_count > 0
  and exists (select 1 from words w
              where w.collection_id = d.collection_id and w.document_id = d.id and length(w.term_ids) > 0)
  and not exists (select 1 from document_words w where w.collection_id = d.collection_id and w.document_id = d.id)

-- name: check_vectors_of_wrong_size()
select count(*) as count, min(v.chunk_id) as example
from vectors v
join collections c on c.id = v.collection_id
join models m on m.id = v.model_id
where length(v.vector) <> m.dimensions * case c.distance_metric when 'cosine' then 2 else 4 end

-- name: check_texts_without_chunks()
select count(*) as count, min(d.id) as example from documents d
where d.is_bare = 0 and d.processing_status = 'completed' and d.chunk_count = 0
  and trim(d.content, char(32, 9, 10, 11, 12, 13)) <> ''

-- name: check_broken_metadata()
-- What is no JSON cannot be shown, so nothing of its document can.
select count(*) as count, min(broken.id) as example
from (select d.id from documents d where json_valid(d.metadata) = 0
      union all
      select c.document_id from document_chunks c where json_valid(c.metadata) = 0) broken

-- name: examined_documents(collection_id, document_ids)
-- Texts as they lie there: bytes that are no text any more must not keep the others from being read.
select d.id, cast(d.file_path as blob) as file_path, cast(d.title as blob) as title, d.language, d.is_bare, d.content_hash, cast(d.content as blob) as content
from json_each(:document_ids) wanted
cross join documents d on d.collection_id = :collection_id and d.id = wanted.value

-- name: examined_chunks(collection_id, document_ids)
select c.document_id, c.id, c.level, c.parent_id, c.start_index, c.end_index, cast(c.content as blob) as content
from json_each(:document_ids) wanted
cross join document_chunks c on c.collection_id = :collection_id and c.document_id = wanted.value
order by c.document_id, c.chunk_index, c.id

-- name: examined_words(collection_id, document_ids)
select w.document_id, w.chunk_id, w.length, w.term_ids, w.frequencies
from json_each(:document_ids) wanted
cross join words w on w.collection_id = :collection_id and w.document_id = wanted.value

-- name: examined_document_words(collection_id, document_ids)
select w.document_id, w.length, w.term_ids, w.frequencies
from json_each(:document_ids) wanted
cross join document_words w on w.collection_id = :collection_id and w.document_id = wanted.value
