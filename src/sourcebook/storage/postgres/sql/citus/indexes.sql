-- name: count_vectors(collection_id, model_id)
with pieces as materialized (
    select greatest(count(*), 1) as shards from pg_dist_shard where logicalrelid = to_regclass('vectors')
), counted as materialized (
    select count(*) as vectors from vectors where collection_id = :collection_id and model_id = :model_id
)
select counted.vectors, pieces.shards from counted cross join pieces
