-- name: digest_vectors()
select v.collection_id, v.document_id, v.chunk_id, m.name as model, m.version, m.recipe, m.tokenizer_hash, coalesce(halfvec_send(v.vector), vector_send(v.wide_vector)) as packed_vector
from vectors v join models m on m.id = v.model_id
order by v.collection_id, v.document_id, v.chunk_id, m.name, m.version, m.recipe, m.tokenizer_hash
