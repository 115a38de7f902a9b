-- name: count_vectors(collection_id, model_id)
select count(*) as vectors,
       (select greatest(count(*), 1) from pg_dist_shard where logicalrelid = to_regclass('vectors')) as shards
from vectors where collection_id = :collection_id and model_id = :model_id
