-- name: drop_vectors_of_wrong_size()
delete from vectors
where length(vector) <> (select m.dimensions * case c.distance_metric when 'cosine' then 2 else 4 end
                         from models m, collections c
                         where m.id = vectors.model_id and c.id = vectors.collection_id)

-- name: put_missing_collections(now)
-- A collection is known by its vectors: whose they are, how large, and that they are normalised.
insert into collections
    (id, name, embedding_dimensions, distance_metric, active_model_id, created_at, updated_at)
select v.collection_id, v.collection_id, m.dimensions, 'cosine', min(m.id), :now, :now
from vectors v join models m on m.id = v.model_id and length(v.vector) = 2 * m.dimensions
where not exists (select 1 from collections c where c.id = v.collection_id)
group by v.collection_id
on conflict do nothing

-- name: documents_with_broken_metadata()
select d.collection_id, d.id from documents d where json_valid(d.metadata) = 0
union
select c.collection_id, c.document_id from document_chunks c where json_valid(c.metadata) = 0

-- name: documents_in_pieces()
-- Documents that lost chunks, whose chunks do not hang together, or that have text and no chunk at all.
select c.collection_id, c.document_id as id from document_chunks c
where c.level = 'CHILD'
  and not exists (select 1 from document_chunks p
                  where p.collection_id = c.collection_id and p.document_id = c.document_id and p.id = c.parent_id)
union
select d.collection_id, d.id from documents d
where d.is_bare = 0
  and d.chunk_count > (select count(*) from document_chunks c
                       where c.collection_id = d.collection_id and c.document_id = d.id)
union
select d.collection_id, d.id from documents d
where d.is_bare = 0 and d.processing_status = 'completed' and trim(d.content, char(32, 9, 10, 11, 12, 13)) <> ''
  and not exists (select 1 from document_chunks c where c.collection_id = d.collection_id and c.document_id = d.id)

-- name: clear_metadata(collection_id, document_id)
update documents set metadata = '{}'
where collection_id = :collection_id and id = :document_id and json_valid(metadata) = 0

-- name: clear_metadata_of_chunks(collection_id, document_id)
update document_chunks set metadata = '{}'
where collection_id = :collection_id and document_id = :document_id and json_valid(metadata) = 0

-- name: documents_lacking_words()
select c.collection_id, c.document_id as id from document_chunks c
join documents d on d.collection_id = c.collection_id and d.id = c.document_id
where d.is_bare = 0 and c.level = 'PARENT'
  and not exists (select 1 from words w
                  where w.collection_id = c.collection_id and w.document_id = c.document_id and w.chunk_id = c.id)
union
select d.collection_id, d.id from documents d
where d.is_bare = 0 and d.chunk_count > 0
  and exists (select 1 from words w
              where w.collection_id = d.collection_id and w.document_id = d.id and length(w.term_ids) > 0)
  and not exists (select 1 from document_words w where w.collection_id = d.collection_id and w.document_id = d.id)

-- name: take_every_turn()
-- Nothing to do: whoever writes is alone here.

-- name: documents_with_scope_names()
-- None: filters read the metadata themselves here.
select collection_id, id as document_id, metadata from documents where 0

-- name: chunks_with_scope_names()
select collection_id, document_id, id as chunk_id, metadata from document_chunks where 0

-- name: correct_document_facts(collection_id, document_id, metadata)
-- Nothing to do, for the same reason.

-- name: correct_chunk_facts(collection_id, document_id, chunk_id, metadata)
-- Nothing to do, for the same reason.
