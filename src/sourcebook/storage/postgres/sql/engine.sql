-- name: take_turn(collection_id)
-- Wait until nobody else writes to the collection, or has the turns of all; the turn ends with the transaction.
select pg_advisory_xact_lock_shared(hashtextextended('sourcebook: all collections', 0)),
       pg_advisory_xact_lock(hashtextextended('sourcebook ' || :collection_id::text, 0))

-- name: collection_to_search(collection_id)
-- The collection, and whether a graph over its vectors is ready.
select c.id, c.name, c.description, c.embedding_dimensions, c.distance_metric, c.active_model_id, c.created_at,
       greatest(c.updated_at, n.updated_at) as updated_at, n.document_count, n.chunk_count, n.word_rows, n.word_length,
       n.document_word_rows, n.document_word_length, m.name as model_name, m.version as model_version,
       m.dimensions as model_dimensions, m.recipe as model_recipe, m.tokenizer_hash as model_tokenizer_hash,
       exists (select 1 from pg_index i
               where i.indexrelid = to_regclass(format('vectors_hnsw_%s_%s', md5(c.id), c.active_model_id))
                 and i.indisvalid) as has_graph,
       exists (select 1 from pg_index i
               where i.indexrelid = to_regclass(format('vectors_bits_%s_%s', md5(c.id), c.active_model_id))
                 and i.indisvalid) as has_bits
from collections c
join collection_counters n on n.collection_id = c.id
join models m on m.id = c.active_model_id
where c.id = :collection_id

-- name: count_matching(collection_id, filter, limit)
-- How many chunks a filter lets through, counted up to a limit.
select count(*) as matching
from (select 1 from document_chunks c
      where c.collection_id = :collection_id and c.facts @@ (select :filter::jsonpath) limit :limit) m

-- name: nearest_of_all(collection_id, model_id, metric, query, limit)
-- Every vector is looked at, and measured once, which is what `offset 0` is for. One that is too large for the arithmetic
-- of pgvector comes first: its exact score decides. Here and below, the question is in brackets where it is compared, so
-- that it is made shorter once and not for each row, and nothing is found when the collection is no longer what the
-- caller took it for.
select n.document_id, n.chunk_id, n.distance,
       coalesce(halfvec_send(n.vector), vector_send(n.wide_vector)) as sent_vector, c.id, c.chunk_index, c.content,
       c.start_index, c.end_index, c.token_count, c.level, c.parent_id, c.section, c.page_number,
       c.metadata, c.created_at, d.title, d.file_path
from (
    select v.document_id, v.chunk_id, m.distance, v.vector, v.wide_vector
    from vectors v
    cross join lateral (
        select case :metric when 'cosine' then v.vector <#> (select :query::vector::halfvec)
                        when 'dot' then v.wide_vector <#> :query::vector
                        else v.wide_vector <-> :query::vector end as distance offset 0
    ) m
    where v.collection_id = :collection_id and v.model_id = :model_id
      and exists (select 1 from collections k
              where k.id = :collection_id and k.active_model_id = :model_id and k.distance_metric = :metric)
      and v.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
    order by case when m.distance between -1e300 and 1e300 then m.distance else '-infinity' end, v.chunk_id
    limit :limit
) n
join document_chunks c on c.collection_id = :collection_id and c.document_id = n.document_id and c.id = n.chunk_id
join documents d on d.collection_id = :collection_id and d.id = n.document_id

-- part: few_named
-- What the index over facts names. The filter is in brackets, so that it is no part of the plan: to compare it with a
-- thousand samples takes longer than such a search, and this plan fits every filter and is made once. If it names more than
-- `few`, nothing else is read, and one row says so: so nobody has to count them first.
named as materialized (
    select c.document_id, c.id, c.level, c.parent_id, c.start_index, c.end_index from document_chunks c
    where c.collection_id = :collection_id and c.facts @@ (select :filter::jsonpath)
      and c.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
    limit :few::bigint + 1
), few as materialized (
    select :few::bigint is null or count(*) <= :few::bigint as are_few from named
)

-- part: nearest_of_allowed
select n.document_id, n.chunk_id, n.distance,
       coalesce(halfvec_send(n.vector), vector_send(n.wide_vector)) as sent_vector, c.id, c.chunk_index, c.content,
       c.start_index, c.end_index, c.token_count, c.level, c.parent_id, c.section, c.page_number,
       c.metadata, c.created_at, d.title, d.file_path
from (
    select a.document_id, a.id as chunk_id, v.distance, v.vector, v.wide_vector
    from allowed a
    cross join lateral (
        select v.vector, v.wide_vector,
               case :metric when 'cosine' then v.vector <#> (select :query::vector::halfvec)
                            when 'dot' then v.wide_vector <#> :query::vector
                            else v.wide_vector <-> :query::vector end as distance
        from vectors v
        where v.collection_id = :collection_id and v.document_id = a.document_id and v.chunk_id = a.id
          and v.model_id = :model_id offset 0
    ) v
    where exists (select 1 from collections k
              where k.id = :collection_id and k.active_model_id = :model_id and k.distance_metric = :metric)
    order by case when v.distance between -1e300 and 1e300 then v.distance else '-infinity' end, a.id
    limit :limit
) n
join document_chunks c on c.collection_id = :collection_id and c.document_id = n.document_id and c.id = n.chunk_id
join documents d on d.collection_id = :collection_id and d.id = n.document_id

-- name: nearest_of_matching(collection_id, model_id, metric, query, filter, limit)
-- First what the filter lets through, then the vectors of that, all of them, each found by the id of its chunk as soon as
-- it is known. `offset 0` keeps the look-ups one by one: without statistics the server would choose worse.
with allowed as not materialized (
    select c.document_id, c.id from document_chunks c
    where c.collection_id = :collection_id and c.facts @@ :filter::jsonpath
      and c.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
)
{nearest_of_allowed}

-- name: nearest_of_named(collection_id, model_id, metric, query, filter, few, limit)
-- The same where the index over facts names the rows.
with {few_named}, allowed as not materialized (
    select n.document_id, n.id from named n where (select f.are_few from few f)
)
select f.are_few, found.*
from few f
left join (
    {nearest_of_allowed}
) found on true

-- name: nearest_by_graph(collection_id, model_id, dimensions, query, filter, limit)
-- The graph gives the nearest one after another, and the filter is asked for each. In brackets and not as a join, which the
-- server might do for all rows beforehand; without a filter nothing is left of it.
select n.document_id, n.chunk_id, n.distance, n.sent_vector, c.id, c.chunk_index, c.content, c.start_index,
       c.end_index, c.token_count, c.level, c.parent_id, c.section, c.page_number,
       c.metadata, c.created_at, d.title, d.file_path
from (
    select v.document_id, v.chunk_id, halfvec_send(v.vector) as sent_vector,
           halfvec(v.vector, :dimensions::integer, true) <#> (select :query::vector::halfvec) as distance
    from vectors v
    where v.collection_id = :collection_id and v.model_id = :model_id
      and exists (select 1 from collections k
              where k.id = :collection_id and k.active_model_id = :model_id and k.distance_metric = 'cosine')
      and v.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
      and (:filter::jsonpath is null or (
          select c.facts @@ :filter::jsonpath from document_chunks c
          where c.collection_id = v.collection_id and c.document_id = v.document_id and c.id = v.chunk_id))
    order by halfvec(v.vector, :dimensions::integer, true) <#> (select :query::vector::halfvec)
    limit :limit
) n
join document_chunks c on c.collection_id = :collection_id and c.document_id = n.document_id and c.id = n.chunk_id
join documents d on d.collection_id = :collection_id and d.id = n.document_id

-- name: nearest_by_bits(collection_id, model_id, dimensions, query, filter, candidates, limit)
-- The same on a graph of signs, which is much smaller: more candidates than are wanted, then their distances.
select n.document_id, n.chunk_id, n.distance, n.sent_vector, c.id, c.chunk_index, c.content, c.start_index,
       c.end_index, c.token_count, c.level, c.parent_id, c.section, c.page_number,
       c.metadata, c.created_at, d.title, d.file_path
from (
    select s.document_id, s.chunk_id, halfvec_send(s.vector) as sent_vector,
           s.vector <#> (select :query::vector::halfvec) as distance
    from (
        select v.document_id, v.chunk_id, v.vector
        from vectors v
        where v.collection_id = :collection_id and v.model_id = :model_id
          and exists (select 1 from collections k
              where k.id = :collection_id and k.active_model_id = :model_id and k.distance_metric = 'cosine')
          and v.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
          and (:filter::jsonpath is null or (
              select c.facts @@ :filter::jsonpath from document_chunks c
              where c.collection_id = v.collection_id and c.document_id = v.document_id and c.id = v.chunk_id))
        order by "bit"(binary_quantize(v.vector), :dimensions::integer, true) <~> binary_quantize(:query::vector::halfvec)
        limit :candidates
    ) s
    order by distance
    limit :limit
) n
join document_chunks c on c.collection_id = :collection_id and c.document_id = n.document_id and c.id = n.chunk_id
join documents d on d.collection_id = :collection_id and d.id = n.document_id

-- name: count_for_plan(collection_id, model_id, filter)
-- How many vectors there are, and how many of them a filter lets through; a child comes with its passage.
select count(*) as vectors, count(*) filter (where :filter::jsonpath is null or (
           select coalesce(p.facts, c.facts) @@ :filter::jsonpath
           from document_chunks c
           left join document_chunks p on p.collection_id = c.collection_id and p.document_id = c.document_id
               and p.id = c.parent_id and c.level = 'CHILD'
           where c.collection_id = v.collection_id and c.document_id = v.document_id and c.id = v.chunk_id)) as allowed
from vectors v
where v.collection_id = :collection_id and v.model_id = :model_id
  and v.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)

-- name: ranked_words(collection_id, term_ids, chunk_idf, document_idf, chunk_length, document_length, k1, b, filter, limit)
-- BM25 of each chunk, plus that of its document. Sums run in the order of the question's terms, so that equal texts have
-- equal scores to the last bit. The best are filtered until there are enough.
with held as materialized (
    select p.document_id, p.document_frequency, p.document_length, p.entries, q.chunk_idf, q.document_idf, q.position
    from unnest(:term_ids::integer[], :chunk_idf::float8[], :document_idf::float8[])
        with ordinality as q (term_id, chunk_idf, document_idf, position)
    join postings p on p.term_id = q.term_id
), of_documents as (
    select h.document_id, sum(h.document_idf * (h.document_frequency::float8
               / (h.document_frequency::float8
                  + :k1::float8 * (1::float8 - :b::float8 + :b::float8 * h.document_length::float8 / :document_length::float8)))
               order by h.position) as score
    from held h where h.document_frequency > 0 group by h.document_id
), of_chunks as (
    select h.document_id, h.entry >> 40 as place, sum(h.chunk_idf * ((h.entry >> 24 & 65535)::float8
               / ((h.entry >> 24 & 65535)::float8
                  + :k1::float8 * (1::float8 - :b::float8 + :b::float8 * (h.entry & 16777215)::float8 / :chunk_length::float8)))
               order by h.position) as score
    from (select document_id, chunk_idf, position, unnest(entries) as entry from held) h
    group by h.document_id, h.entry >> 40
), scored as (
    select c.document_id, c.place, c.score + coalesce(d.score, 0::float8) as score
    from of_chunks c left join of_documents d on d.document_id = c.document_id
    where c.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
    order by 3 desc
)
select w.chunk_id, s.score
from scored s
cross join lateral (
    select w.chunk_id from words w
    where w.collection_id = :collection_id and w.document_id = s.document_id and w.place = s.place offset 0
) w
where :filter::jsonpath is null or (
    select c.facts @@ :filter::jsonpath from document_chunks c
    where c.collection_id = :collection_id and c.document_id = s.document_id and c.id = w.chunk_id)
order by s.score desc, w.chunk_id
limit :limit

-- name: terms_to_rank(collection_id, terms)
-- The totals of the collection in every row, and one row even if it knows none of the terms.
select t.id, t.term, t.chunk_count, t.document_count,
       n.word_rows, n.word_length, n.document_word_rows, n.document_word_length
from collection_counters n
left join terms t on t.collection_id = n.collection_id and t.term = any (:terms::text[])
where n.collection_id = :collection_id
order by t.term

-- name: held_words(collection_id, term_ids)
-- The postings of each term in a few long values, which travel and are read much faster than a row each.
select q.position, array_agg(p.document_id) as documents,
       string_agg(int4send(p.document_frequency), ''::bytea) as document_frequencies,
       string_agg(int4send(p.document_length), ''::bytea) as document_lengths,
       string_agg(int4send(cardinality(p.entries)), ''::bytea) as counts,
       string_agg(array_send(p.entries), ''::bytea) as entries
from unnest(:term_ids::integer[]) with ordinality as q (term_id, position)
join postings p on p.term_id = q.term_id
where p.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
group by q.position
order by q.position

-- name: chunks_at_places(collection_id, document_ids, places, filter)
-- Those of the chunks at these places that the filter lets through, by their number in the list.
select wanted.number, w.chunk_id
from unnest(:document_ids::text[], :places::integer[]) with ordinality as wanted (document_id, place, number)
cross join lateral (
    select w.chunk_id from words w
    where w.collection_id = :collection_id and w.document_id = wanted.document_id and w.place = wanted.place offset 0
) w
where :filter::jsonpath is null or (
    select c.facts @@ :filter::jsonpath from document_chunks c
    where c.collection_id = :collection_id and c.document_id = wanted.document_id and c.id = w.chunk_id)

-- name: results_by_ids(collection_id, chunk_ids)
select c.id, c.document_id, c.chunk_index, c.content, c.start_index, c.end_index, c.token_count, c.level, c.parent_id,
       c.section, c.page_number, c.metadata, c.created_at, d.title, d.file_path, d.language
from unnest(:chunk_ids::text[]) wanted (value)
join chunk_ids i on i.collection_id = :collection_id and i.chunk_id = wanted.value
join document_chunks c on c.collection_id = i.collection_id and c.document_id = i.document_id and c.id = i.chunk_id
join documents d on d.collection_id = c.collection_id and d.id = c.document_id

-- name: server_versions()
select current_setting('server_version') as server, extversion as extension from pg_extension where extname = 'vector'

-- name: citus_version()
-- No row on a server that is not part of a Citus cluster.
select extversion as version from pg_extension where extname = 'citus'

-- name: written_place()
-- How far the log of changes has got, as a number, and which database of which server it is.
select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint as place,
       (select system_identifier::text from pg_control_system()) || ' ' || current_database() as identity

-- name: replayed_place()
-- How far a replica has replayed that log; nothing on a server that is none.
select case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint end as place,
       (select system_identifier::text from pg_control_system()) || ' ' || current_database() as identity

-- name: set_for_transaction(settings)
select set_config(s.key, s.value, true) from jsonb_each_text(:settings::jsonb) s
