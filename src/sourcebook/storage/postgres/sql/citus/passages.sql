-- part: score_of_member
-- How near a vector is, as a score; one that is too large for the arithmetic of pgvector comes first. Written so that each
-- is measured once: `offset`, which ensures it on a plain server, would bring every row to the coordinator.
case :metric
    when 'cosine' then least(coalesce(nullif(-(v.vector <#> :query::vector::halfvec), '-infinity'), 'infinity'), 'infinity')
    when 'dot' then least(coalesce(nullif(-(v.wide_vector <#> :query::vector), '-infinity'), 'infinity'), 'infinity')
    else least(coalesce(nullif(1 / (1 + (v.wide_vector <-> :query::vector)), 0), 'infinity'), 'infinity')
end as score

-- part: family_of_members
-- A document lies on one worker with all that belongs to it, so each worker gathers and scores its own passages. The
-- coordinator chooses among them.
select m.document_id, m.passage_id, array_agg(m.chunk_id) as chunk_ids, array_agg(m.start_index) as starts,
       array_agg(m.end_index) as ends,
       max(m.score) filter (where m.chunk_id = m.passage_id) as own,
       max(m.score) filter (where m.chunk_id <> m.passage_id) as best_child

-- part: chosen_families
-- Those as good as the last that is wanted, or worse by less than the arithmetic of pgvector may be wrong. Only their ids
-- go to the workers, each of which adds the vectors it has. A document may be replaced before that: `is_whole` says
-- whether everything was still there, and a row without a passage says it where nothing was.
families as materialized (
    select f.document_id, f.passage_id, f.chunk_ids, f.starts, f.ends,
           (coalesce(f.own, f.best_child) + coalesce(f.best_child, f.own)) / 2 as score
    from gathered f
), last_wanted as materialized (
    select min(w.score) as score
    from (select f.score from families f where f.score < 'infinity' order by f.score desc limit :top_k) w
), chosen as materialized (
    select f.document_id, f.passage_id, c.chunk_id, c.start_index, c.end_index
    from families f
    cross join last_wanted l
    cross join unnest(f.chunk_ids, f.starts, f.ends) c (chunk_id, start_index, end_index)
    where l.score is null or f.score >= l.score - :margin::float8 * greatest(1, abs(l.score))
), found as materialized (
    select v.document_id, c.passage_id, array_agg(c.chunk_id order by c.chunk_id) as chunk_ids,
           array_agg(c.start_index order by c.chunk_id) as starts, array_agg(c.end_index order by c.chunk_id) as ends,
           string_agg(coalesce(halfvec_send(v.vector), vector_send(v.wide_vector)), ''::bytea order by c.chunk_id)
               as packed_vectors
    from chosen c
    join vectors v on v.collection_id = :collection_id and v.document_id = c.document_id and v.chunk_id = c.chunk_id
        and v.model_id = :model_id
    group by v.document_id, c.passage_id
)
select n.vectors as looked_at, f.document_id, f.passage_id, f.chunk_ids, f.starts, f.ends, f.packed_vectors,
       n.lost = 0 and (select count(*) from chosen) = (select coalesce(sum(cardinality(f.chunk_ids)), 0) from found f)
           as is_whole
from looked_at n
left join found f on true
where exists (select 1 from still)

-- part: all_gathered
looked_at as materialized (
    select coalesce(sum(cardinality(g.chunk_ids)), 0)::bigint as vectors, 0::bigint as lost from gathered g
)

-- part: near_gathered
-- What was near belongs to a passage, unless it was gone when that was looked for.
looked_at as materialized (
    select count(*) as vectors, count(*) filter (where m.chunk_id is null) as lost
    from near
    left join (select g.document_id, c.chunk_id from gathered g cross join unnest(g.chunk_ids) c (chunk_id)) m
        on m.document_id = near.document_id and m.chunk_id = near.chunk_id
)

-- part: members_of_near
-- The passages of the vectors that are near, with all of their members. A chunk without a passage is one.
from (
    select s.document_id, s.id as passage_id, c.id as chunk_id, c.start_index, c.end_index,
           -(v.vector <#> :query::vector::halfvec) as score
    from (
        select distinct c.document_id, coalesce(p.id, c.id) as id
        from near
        join document_chunks c on c.collection_id = :collection_id and c.document_id = near.document_id
            and c.id = near.chunk_id
        left join document_chunks p on p.collection_id = :collection_id and p.document_id = c.document_id
            and p.id = c.parent_id and c.level = 'CHILD'
    ) s
    join document_chunks c on c.collection_id = :collection_id and c.document_id = s.document_id
        and (c.id = s.id or c.parent_id = s.id)
    left join document_chunks a on a.collection_id = :collection_id and a.document_id = c.document_id
        and a.id = c.parent_id
    join vectors v on v.collection_id = :collection_id and v.document_id = c.document_id and v.chunk_id = c.id
        and v.model_id = :model_id
    where case when c.id = s.id then c.level = 'PARENT' or a.id is null else c.level = 'CHILD' end
) m
group by m.document_id, m.passage_id

-- name: passages_of_all(collection_id, model_id, metric, query, top_k, margin)
with {still_of_metric}, gathered as materialized (
    {family_of_members}
    from (
        select v.document_id, v.chunk_id, coalesce(p.id, c.id) as passage_id, c.start_index, c.end_index, {score_of_member}
        from vectors v
        join document_chunks c on c.collection_id = :collection_id and c.document_id = v.document_id and c.id = v.chunk_id
        left join document_chunks p on p.collection_id = :collection_id and p.document_id = c.document_id
            and p.id = c.parent_id and c.level = 'CHILD'
        where v.collection_id = :collection_id and v.model_id = :model_id
          and not exists (select 1 from documents h
          where h.collection_id = :collection_id and h.id = v.document_id and h.is_active = 0)
    ) m
    group by m.document_id, m.passage_id
), {all_gathered}, {chosen_families}

-- part: gathered_of_matching
-- The filter speaks of the passage: its children come with it, and a child whose passage is there does not count by itself.
gathered as materialized (
    {family_of_members}
    from (
        select a.document_id, a.passage_id, a.chunk_id, a.start_index, a.end_index, {score_of_member}
        from (
            select c.document_id, c.id as passage_id, c.id as chunk_id, c.start_index, c.end_index
            from document_chunks c
            left join document_chunks p on p.collection_id = :collection_id and p.document_id = c.document_id
                and p.id = c.parent_id and c.level = 'CHILD'
            where c.collection_id = :collection_id and c.facts @@ :filter::jsonpath and p.id is null
            union all
            select c.document_id, p.id, c.id, c.start_index, c.end_index
            from document_chunks p
            join document_chunks c on c.collection_id = :collection_id and c.document_id = p.document_id
                and c.parent_id = p.id and c.level = 'CHILD'
            where p.collection_id = :collection_id and p.facts @@ :filter::jsonpath
        ) a
        join vectors v on v.collection_id = :collection_id and v.document_id = a.document_id and v.chunk_id = a.chunk_id
            and v.model_id = :model_id
        where not exists (select 1 from documents h
          where h.collection_id = :collection_id and h.id = a.document_id and h.is_active = 0)
    ) m
    group by m.document_id, m.passage_id
)

-- name: passages_of_matching(collection_id, model_id, metric, query, filter, top_k, margin)
with {still_of_metric}, {gathered_of_matching}, {all_gathered}, {chosen_families}

-- name: passages_of_named(collection_id, model_id, metric, query, filter, few, top_k, margin)
-- `few` is null on a cluster, which counts first.
with {still_of_metric}, {gathered_of_matching}, {all_gathered}, {chosen_families}
  and :few::bigint is null

-- name: passages_by_graph(collection_id, model_id, dimensions, query, filter, limit, top_k, margin)
with {still_of_cosine}, near as materialized (
    select v.document_id, v.chunk_id
    from vectors v
    where v.collection_id = :collection_id and v.model_id = :model_id
      and v.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
      and (:filter::jsonpath is null or (
          select coalesce(p.facts, c.facts) @@ :filter::jsonpath
          from document_chunks c
          left join document_chunks p on p.collection_id = c.collection_id and p.document_id = c.document_id
              and p.id = c.parent_id and c.level = 'CHILD'
          where c.collection_id = v.collection_id and c.document_id = v.document_id and c.id = v.chunk_id))
    order by halfvec(v.vector, :dimensions::integer, true) <#> :query::vector::halfvec
    limit :limit
), gathered as materialized (
    {family_of_members}
    {members_of_near}
), {near_gathered}, {chosen_families}

-- name: passages_by_bits(collection_id, model_id, dimensions, query, filter, candidates, limit, top_k, margin)
with {still_of_cosine}, near as materialized (
    select s.document_id, s.chunk_id
    from (
        select v.document_id, v.chunk_id, v.vector <#> :query::vector::halfvec as distance
        from vectors v
        where v.collection_id = :collection_id and v.model_id = :model_id
          and v.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
          and (:filter::jsonpath is null or (
              select coalesce(p.facts, c.facts) @@ :filter::jsonpath
              from document_chunks c
              left join document_chunks p on p.collection_id = c.collection_id and p.document_id = c.document_id
                  and p.id = c.parent_id and c.level = 'CHILD'
              where c.collection_id = v.collection_id and c.document_id = v.document_id and c.id = v.chunk_id))
        order by "bit"(binary_quantize(v.vector), :dimensions::integer, true) <~> binary_quantize(:query::vector::halfvec)
        limit :candidates
    ) s
    order by s.distance
    limit :limit
), gathered as materialized (
    {family_of_members}
    {members_of_near}
), {near_gathered}, {chosen_families}
