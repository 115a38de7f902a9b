-- name: drop_vectors_of_wrong_size()
delete from vectors
where coalesce(vector_dims(vector), vector_dims(wide_vector))
      <> (select m.dimensions from models m where m.id = vectors.model_id)

-- name: put_missing_collections(now)
-- A collection is known by its vectors: whose they are, how large, and that they are normalised.
insert into collections
    (id, name, embedding_dimensions, distance_metric, active_model_id, created_at, updated_at)
select v.collection_id, v.collection_id, min(m.dimensions), 'cosine', min(m.id), :now, :now
from vectors v join models m on m.id = v.model_id and vector_dims(v.vector) = m.dimensions
where not exists (select 1 from collections c where c.id = v.collection_id)
group by v.collection_id
on conflict do nothing

-- name: documents_with_broken_metadata()
select d.collection_id, d.id from documents d where not (d.metadata is json)
union
select c.collection_id, c.document_id from document_chunks c where not (c.metadata is json)

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
where d.is_bare = 0 and d.processing_status = 'completed' and trim(d.content, E' \t\n\x0b\f\r') <> ''
  and not exists (select 1 from document_chunks c where c.collection_id = d.collection_id and c.document_id = d.id)

-- name: clear_metadata(collection_id, document_id)
update documents set metadata = '{}'
where collection_id = :collection_id and id = :document_id and not (metadata is json)

-- name: clear_metadata_of_chunks(collection_id, document_id)
update document_chunks set metadata = '{}', own_facts = '{}'
where collection_id = :collection_id and document_id = :document_id and not (metadata is json)

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
              where w.collection_id = d.collection_id and w.document_id = d.id and cardinality(w.term_ids) > 0)
  and not exists (select 1 from document_words w where w.collection_id = d.collection_id and w.document_id = d.id)

-- name: take_every_turn()
-- Wait until nobody writes to any collection, and let nobody until the transaction ends. Readers are not held up.
-- Those that are there are held one by one, too, for programs that do not know of the turn of all.
select pg_advisory_xact_lock(hashtextextended('sourcebook: all collections', 0)),
       (select count(pg_advisory_xact_lock(hashtextextended('sourcebook ' || c.id, 0)))
        from (select id from collections order by id) c)

-- name: documents_with_scope_names()
-- Those whose metadata has a name that means a scope in a filter. An earlier version saw it outside of its scope, too.
select collection_id, id as document_id, metadata from documents where facts ?| array['chunk', 'document']

-- name: chunks_with_scope_names()
select collection_id, document_id, id as chunk_id, metadata from document_chunks
where own_facts ?| array['chunk', 'document']

-- name: correct_document_facts(collection_id, document_id, metadata)
update documents set facts = :document_facts::jsonb
where collection_id = :collection_id and id = :document_id and metadata = :metadata
  and facts is distinct from :document_facts::jsonb

-- name: correct_chunk_facts(collection_id, document_id, chunk_id, metadata)
update document_chunks set own_facts = :chunk_facts::jsonb
where collection_id = :collection_id and document_id = :document_id and id = :chunk_id and metadata = :metadata
  and own_facts is distinct from :chunk_facts::jsonb
