-- name: graphs_of_collection(collection_id)
-- The graphs over the vectors of a collection, with the model that each is for.
select c.relname as name, i.indisvalid as is_valid, split_part(c.relname, '_', 2) as kind,
       split_part(c.relname, '_', 4)::bigint as model_id
from pg_index i
join pg_class c on c.oid = i.indexrelid
where i.indrelid = to_regclass('vectors')
  and c.relname ~ format('^vectors_(hnsw|bits)_%s_[0-9]+$', md5(:collection_id::text))

-- name: count_vectors(collection_id, model_id)
-- With the number of pieces that the table is in: each has a graph of its own.
select count(*) as vectors, 1 as shards from vectors where collection_id = :collection_id and model_id = :model_id

-- name: make_hnsw(collection_id, model_id, dimensions, m, ef_construction)
-- The statement that makes the graph: a definition takes no parameters, so the server quotes what goes into it.
select format('create index concurrently if not exists %I on vectors using hnsw '
              '((vector::halfvec(%s)) halfvec_ip_ops) with (m = %s, ef_construction = %s) '
              'where collection_id = %L and model_id = %s',
              format('vectors_hnsw_%s_%s', md5(:collection_id::text), :model_id::bigint), :dimensions::integer, :m::integer,
              :ef_construction::integer, :collection_id::text, :model_id::bigint) as statement

-- name: make_bits(collection_id, model_id, dimensions, m, ef_construction)
select format('create index concurrently if not exists %I on vectors using hnsw '
              '((binary_quantize(vector)::bit(%s)) bit_hamming_ops) with (m = %s, ef_construction = %s) '
              'where collection_id = %L and model_id = %s',
              format('vectors_bits_%s_%s', md5(:collection_id::text), :model_id::bigint), :dimensions::integer, :m::integer,
              :ef_construction::integer, :collection_id::text, :model_id::bigint) as statement

-- name: drop_graph(graph)
select format('drop index concurrently if exists %I', :graph::text) as statement

-- name: build_alone(collection_id)
-- One process at a time makes graphs for a collection; the others go on with what there is.
select pg_try_advisory_lock(hashtextextended('sourcebook graph ' || :collection_id::text, 0)) as is_ours

-- name: build_memory(kilobytes)
-- A graph that does not fit the memory for maintenance takes many times as long to make.
select set_config('maintenance_work_mem', :kilobytes::text, false) as memory
where pg_size_bytes(current_setting('maintenance_work_mem')) < :kilobytes::bigint * 1024

-- name: build_progress()
-- How much of the table is in the graph that is being made.
select blocks_done, blocks_total from pg_stat_progress_create_index
where datname = current_database() and relid = to_regclass('vectors') and phase like 'building index%'
