-- part: still_of_metric
-- Whether the collection is what the caller takes it for. The coordinator says so: when a model is changed, it knows first,
-- and a worker that did not would keep back what it has.
still as materialized (
    select k.id from collections k
    where k.id = :collection_id and k.active_model_id = :model_id and k.distance_metric = :metric
)

-- part: still_of_cosine
still as materialized (
    select k.id from collections k
    where k.id = :collection_id and k.active_model_id = :model_id and k.distance_metric = 'cosine'
)

-- part: chunk_of_vector
-- The chunk and its document with the vector, from the worker that has all three: what is read in a second round may be
-- gone by then. In brackets and not as a join, so that they are read for the rows that are returned alone.
(select array[c.content, c.chunk_index::text, c.start_index::text, c.end_index::text, c.token_count::text, c.level,
              c.parent_id, c.section, c.page_number::text, c.metadata, c.created_at::text]
 from document_chunks c
 where c.collection_id = :collection_id and c.document_id = v.document_id and c.id = v.chunk_id) as chunk,
(select array[d.title, d.file_path] from documents d
 where d.collection_id = :collection_id and d.id = v.document_id) as document

-- part: columns_of_near
n.document_id, n.chunk_id, n.distance, n.sent_vector, n.chunk_id as id, n.chunk[2]::bigint as chunk_index,
n.chunk[1] as content, n.chunk[3]::bigint as start_index, n.chunk[4]::bigint as end_index,
n.chunk[5]::bigint as token_count, n.chunk[6] as level, n.chunk[7] as parent_id, n.chunk[8] as section,
n.chunk[9]::bigint as page_number, n.chunk[10] as metadata, n.chunk[11]::bigint as created_at,
n.document[1] as title, n.document[2] as file_path

-- part: distance_of_vector
case :metric when 'cosine' then v.vector <#> :query::vector::halfvec
             when 'dot' then v.wide_vector <#> :query::vector
             else v.wide_vector <-> :query::vector end as distance,
coalesce(halfvec_send(v.vector), vector_send(v.wide_vector)) as sent_vector

-- part: nearest_first
-- What is too large for the arithmetic of pgvector comes first: its exact score decides.
order by least(coalesce(nullif(-(
    case :metric when 'cosine' then v.vector <#> :query::vector::halfvec
                 when 'dot' then v.wide_vector <#> :query::vector
                 else v.wide_vector <-> :query::vector end), '-infinity'), 'infinity'), 'infinity') desc, v.chunk_id

-- part: vectors_of_matching
-- On each worker what the filter lets through, with its vectors.
from document_chunks a
join vectors v on v.collection_id = :collection_id and v.document_id = a.document_id and v.chunk_id = a.id
    and v.model_id = :model_id
where a.collection_id = :collection_id and a.facts @@ :filter::jsonpath
  and not exists (select 1 from documents h
          where h.collection_id = :collection_id and h.id = a.document_id and h.is_active = 0)

-- name: nearest_of_all(collection_id, model_id, metric, query, limit)
with {still_of_metric}
select {columns_of_near}
from (
    select v.document_id, v.chunk_id, {distance_of_vector}, {chunk_of_vector}
    from vectors v
    where v.collection_id = :collection_id and v.model_id = :model_id
      and not exists (select 1 from documents h
          where h.collection_id = :collection_id and h.id = v.document_id and h.is_active = 0)
    {nearest_first}
    limit :limit
) n
where exists (select 1 from still)

-- name: nearest_of_matching(collection_id, model_id, metric, query, filter, limit)
with {still_of_metric}
select {columns_of_near}
from (
    select v.document_id, v.chunk_id, {distance_of_vector}, {chunk_of_vector}
    {vectors_of_matching}
    {nearest_first}
    limit :limit
) n
where exists (select 1 from still)

-- name: nearest_of_named(collection_id, model_id, metric, query, filter, few, limit)
-- A cluster counts first and is never asked for a few: it could not stop after reading which rows there are.
with {still_of_metric}
select {columns_of_near}, true as are_few
from (
    select v.document_id, v.chunk_id, {distance_of_vector}, {chunk_of_vector}
    {vectors_of_matching}
    {nearest_first}
    limit :limit
) n
where exists (select 1 from still) and :few::bigint is null

-- name: nearest_by_graph(collection_id, model_id, dimensions, query, filter, limit)
with {still_of_cosine}
select {columns_of_near}
from (
    select v.document_id, v.chunk_id, halfvec_send(v.vector) as sent_vector,
           halfvec(v.vector, :dimensions::integer, true) <#> :query::vector::halfvec as distance, {chunk_of_vector}
    from vectors v
    where v.collection_id = :collection_id and v.model_id = :model_id
      and v.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
      and (:filter::jsonpath is null or (
          select c.facts @@ :filter::jsonpath from document_chunks c
          where c.collection_id = v.collection_id and c.document_id = v.document_id and c.id = v.chunk_id))
    order by halfvec(v.vector, :dimensions::integer, true) <#> :query::vector::halfvec
    limit :limit
) n
where exists (select 1 from still)

-- name: nearest_by_bits(collection_id, model_id, dimensions, query, filter, candidates, limit)
-- There are too many candidates to send all their texts, so the workers are asked twice. A document may be replaced before
-- that: `is_whole` says whether everything was still there, and a row without a chunk says it where nothing was.
with {still_of_cosine}, near as materialized (
    select s.document_id, s.chunk_id
    from (
        select v.document_id, v.chunk_id, v.vector <#> :query::vector::halfvec as distance
        from vectors v
        where v.collection_id = :collection_id and v.model_id = :model_id
          and v.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
          and (:filter::jsonpath is null or (
              select c.facts @@ :filter::jsonpath from document_chunks c
              where c.collection_id = v.collection_id and c.document_id = v.document_id and c.id = v.chunk_id))
        order by "bit"(binary_quantize(v.vector), :dimensions::integer, true) <~> binary_quantize(:query::vector::halfvec)
        limit :candidates
    ) s
    order by s.distance
    limit :limit
), found as materialized (
    select v.document_id, v.chunk_id, v.vector <#> :query::vector::halfvec as distance, halfvec_send(v.vector) as sent_vector,
           {chunk_of_vector}
    from near
    join vectors v on v.collection_id = :collection_id and v.document_id = near.document_id and v.chunk_id = near.chunk_id
        and v.model_id = :model_id
)
select {columns_of_near}, (select count(*) from near) = (select count(*) from found) as is_whole
from still
left join found n on true

-- name: ranked_words(collection_id, term_ids, chunk_idf, document_idf, chunk_length, document_length, k1, b, filter, limit)
-- A document lies on one worker with all that belongs to it, so each worker ranks its own, and the best of all are taken.
select w.chunk_id, s.score
from (
    select o.document_id, o.place, o.score + coalesce(d.score, 0::float8) as score
    from (
        select h.document_id, h.entry >> 40 as place, sum(h.chunk_idf * ((h.entry >> 24 & 65535)::float8
                   / ((h.entry >> 24 & 65535)::float8
                      + :k1::float8 * (1::float8 - :b::float8 + :b::float8 * (h.entry & 16777215)::float8 / :chunk_length::float8)))
                   order by h.position) as score
        from (select p.document_id, q.chunk_idf, q.position, unnest(p.entries) as entry
              from unnest(:term_ids::integer[], :chunk_idf::float8[]) with ordinality as q (term_id, chunk_idf, position)
              join postings p on p.term_id = q.term_id) h
        group by h.document_id, h.entry >> 40
    ) o
    left join (
        select p.document_id, sum(q.document_idf * (p.document_frequency::float8
                   / (p.document_frequency::float8
                      + :k1::float8 * (1::float8 - :b::float8 + :b::float8 * p.document_length::float8 / :document_length::float8)))
                   order by q.position) as score
        from unnest(:term_ids::integer[], :document_idf::float8[]) with ordinality as q (term_id, document_idf, position)
        join postings p on p.term_id = q.term_id
        where p.document_frequency > 0
        group by p.document_id
    ) d on d.document_id = o.document_id
    where not exists (select 1 from documents h
          where h.collection_id = :collection_id and h.id = o.document_id and h.is_active = 0)
) s
join words w on w.collection_id = :collection_id and w.document_id = s.document_id and w.place = s.place
join document_chunks c on c.collection_id = :collection_id and c.document_id = w.document_id and c.id = w.chunk_id
where :filter::jsonpath is null or c.facts @@ :filter::jsonpath
order by s.score desc, w.chunk_id
limit :limit

-- name: chunks_at_places(collection_id, document_ids, places, filter)
select wanted.number, w.chunk_id
from unnest(:document_ids::text[], :places::integer[]) with ordinality as wanted (document_id, place, number)
join words w on w.collection_id = :collection_id and w.document_id = wanted.document_id and w.place = wanted.place
join document_chunks c on c.collection_id = :collection_id and c.document_id = w.document_id and c.id = w.chunk_id
where :filter::jsonpath is null or c.facts @@ :filter::jsonpath
