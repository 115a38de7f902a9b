-- part: nearest_of_filtered
-- On each worker what the filter lets through, with its vectors; here the best of those.
select n.document_id, n.chunk_id, n.distance,
       coalesce(halfvec_send(n.vector), vector_send(n.wide_vector)) as sent_vector, c.id, c.chunk_index, c.content,
       c.start_index, c.end_index, c.token_count, c.level, c.parent_id, c.section, c.page_number,
       c.metadata, c.created_at, d.title, d.file_path
from (
    select a.document_id, a.id as chunk_id, m.distance, v.vector, v.wide_vector
    from document_chunks a
    join vectors v on v.collection_id = :collection_id and v.document_id = a.document_id and v.chunk_id = a.id
        and v.model_id = :model_id
    cross join lateral (
        select case :metric when 'cosine' then v.vector <#> :query::vector::halfvec
                        when 'dot' then v.wide_vector <#> :query::vector
                        else v.wide_vector <-> :query::vector end as distance
    ) m
    where a.collection_id = :collection_id and a.facts @@ :filter::jsonpath
      and a.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
      and exists (select 1 from collections k
                  where k.id = :collection_id and k.active_model_id = :model_id and k.distance_metric = :metric)
    order by case when m.distance between -1e300 and 1e300 then m.distance else '-infinity' end, a.id
    limit :limit
) n
join document_chunks c on c.collection_id = :collection_id and c.document_id = n.document_id and c.id = n.chunk_id
join documents d on d.collection_id = :collection_id and d.id = n.document_id

-- name: nearest_of_matching(collection_id, model_id, metric, query, filter, limit)
{nearest_of_filtered}

-- name: nearest_of_named(collection_id, model_id, metric, query, filter, limit)
{nearest_of_filtered}

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
    where o.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
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
