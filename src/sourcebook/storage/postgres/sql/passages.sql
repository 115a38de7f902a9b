-- part: measured_member
-- How near a vector is, as a score; one that is too large for the arithmetic of pgvector comes first: its exact score
-- decides.
case when x.distance between -1e300 and 1e300
     then case :metric when 'euclidean' then 1 / (1 + x.distance) else -x.distance end
     else 'infinity' end as score

-- part: distance_of_member
cross join lateral (
    select case :metric when 'cosine' then v.vector <#> (select :query::vector::halfvec)
                        when 'dot' then v.wide_vector <#> :query::vector
                        else v.wide_vector <-> :query::vector end as distance offset 0
) x

-- part: all_looked_at
looked_at as materialized (
    select count(*) as vectors from measured
)

-- part: best_families
-- Of `measured`, the passages that can be among the best: those as good as the last that is wanted, or worse by less than
-- the arithmetic of pgvector may be wrong. Each comes once, with the vectors of its members in one long value; where there
-- is none, one row without a passage. Only of these the members are gathered: lists of all would not fit into the memory
-- that a statement has. And of their children only those that can be among the three best, which are all that is shown: the
-- others would only be sent. `is true` lets each row be looked up among the best, which a join might compare with all of them.
families as materialized (
    select f.document_id, f.passage_id,
           (coalesce(f.own, f.best_child) + coalesce(f.best_child, f.own)) / 2 as score
    from (
        select m.document_id, m.passage_id,
               max(m.score) filter (where m.chunk_id = m.passage_id) as own,
               max(m.score) filter (where m.chunk_id <> m.passage_id) as best_child
        from measured m group by m.document_id, m.passage_id
    ) f
), last_wanted as materialized (
    select min(w.score) as score
    from (select f.score from families f where f.score < 'infinity' order by f.score desc limit :top_k) w
), best as materialized (
    select f.document_id, f.passage_id from families f cross join last_wanted l
    where l.score is null or f.score >= l.score - :margin::float8 * greatest(1, abs(l.score))
), shown as materialized (
    select m.document_id, m.passage_id, m.chunk_id, m.start_index, m.end_index
    from (
        select m.*, nth_value(m.score, 3) over (
                   partition by m.document_id, m.passage_id, m.chunk_id = m.passage_id, m.score < 'infinity'
                   order by m.score desc rows between unbounded preceding and unbounded following) as third
        from measured m
        where ((m.document_id, m.passage_id) in (select b.document_id, b.passage_id from best b)) is true
    ) m
    where m.chunk_id = m.passage_id or m.score = 'infinity' or m.third is null
       or m.score >= m.third - :margin::float8 * greatest(1, abs(m.third))
)
select n.vectors as looked_at, f.document_id, f.passage_id, f.chunk_ids, f.starts, f.ends, f.packed_vectors
from looked_at n
left join (
    select m.document_id, m.passage_id, array_agg(m.chunk_id) as chunk_ids, array_agg(m.start_index) as starts,
           array_agg(m.end_index) as ends,
           string_agg(coalesce(halfvec_send(v.vector), vector_send(v.wide_vector)), ''::bytea) as packed_vectors
    from shown m
    cross join lateral (
        select v.vector, v.wide_vector from vectors v
        where v.collection_id = :collection_id and v.document_id = m.document_id and v.chunk_id = m.chunk_id
          and v.model_id = :model_id offset 0
    ) v
    group by m.document_id, m.passage_id
) f on true

-- part: passage_matches
-- Only if the filter, where there is one, lets through the passage of the vector: a child comes with its passage.
(:filter::jsonpath is null or (
    select coalesce(p.facts, c.facts) @@ :filter::jsonpath
    from document_chunks c
    left join document_chunks p on p.collection_id = c.collection_id and p.document_id = c.document_id
        and p.id = c.parent_id and c.level = 'CHILD'
    where c.collection_id = v.collection_id and c.document_id = v.document_id and c.id = v.chunk_id))

-- part: families_of_near
-- The passages of the vectors that are near, with all of their members. A chunk without a passage is one.
passages as materialized (
    select distinct wanted.document_id, coalesce(c.passage_id, wanted.chunk_id) as id
    from near wanted
    left join lateral (
        select p.id as passage_id from document_chunks c
        join document_chunks p on p.collection_id = c.collection_id and p.document_id = c.document_id and p.id = c.parent_id
        where c.collection_id = :collection_id and c.document_id = wanted.document_id and c.id = wanted.chunk_id
          and c.level = 'CHILD' offset 0
    ) c on true
), members as materialized (
    select p.document_id, p.id as passage_id, c.id as chunk_id, c.start_index, c.end_index
    from passages p
    cross join lateral (
        select c.id, c.start_index, c.end_index from document_chunks c
        where c.collection_id = :collection_id and c.document_id = p.document_id and c.id = p.id
          and (c.level = 'PARENT' or not exists (
              select 1 from document_chunks a
              where a.collection_id = :collection_id and a.document_id = c.document_id and a.id = c.parent_id)) offset 0
    ) c
    union all
    select p.document_id, p.id, c.id, c.start_index, c.end_index
    from passages p
    cross join lateral (
        select c.id, c.start_index, c.end_index from document_chunks c
        where c.collection_id = :collection_id and c.document_id = p.document_id and c.parent_id = p.id
          and c.level = 'CHILD' offset 0
    ) c
), measured as materialized (
    select m.document_id, m.chunk_id, m.passage_id, m.start_index, m.end_index, -x.distance as score
    from members m
    cross join lateral (
        select v.vector, v.wide_vector from vectors v
        where v.collection_id = :collection_id and v.document_id = m.document_id and v.chunk_id = m.chunk_id
          and v.model_id = :model_id offset 0
    ) v
    cross join lateral (select v.vector <#> (select :query::vector::halfvec) as distance offset 0) x
), looked_at as materialized (
    select count(*) as vectors from near
)

-- name: passages_of_all(collection_id, model_id, metric, query, top_k, margin)
-- Every vector is measured once, whatever is wanted: where many texts are nearly equal, the nearest few say little of
-- which passages are best. A full join is never done by comparing each with each, which the server would choose without
-- statistics; the conditions that take away its other half are written so that it stays one.
with measured as materialized (
    select s.document_id, s.chunk_id, c.passage_id, c.start_index, c.end_index, s.score
    from (
        select v.document_id, v.chunk_id, {measured_member}
        from vectors v
        {distance_of_member}
        where v.collection_id = :collection_id and v.model_id = :model_id
          and exists (select 1 from collections k
              where k.id = :collection_id and k.active_model_id = :model_id and k.distance_metric = :metric)
          and v.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
        offset 0
    ) s
    full join (
        select c.document_id, c.id, coalesce(p.id, c.id) as passage_id, c.start_index, c.end_index
        from (select * from document_chunks where collection_id = :collection_id) c
        full join (select document_id, id from document_chunks where collection_id = :collection_id) p
            on p.document_id = c.document_id and p.id = case when c.level = 'CHILD' then c.parent_id end
        where coalesce(c.id, '') <> ''
        offset 0
    ) c on c.document_id = s.document_id and c.id = s.chunk_id
    where coalesce(s.chunk_id, '') <> ''
), {all_looked_at}, {best_families}

-- part: measured_of_allowed
-- The filter speaks of the passage: its children come with it, and a child whose passage is there does not count by itself.
-- Most filters let a document through as a whole: then all of it is known, and passages and children find each other here.
-- Those of other documents are looked up, but for a passage that was let through, too. Whether a few chunks are a whole
-- document is not worth looking up. Why full joins: see `passages_of_all`.
whole as materialized (
    select a.document_id from allowed a group by a.document_id
    having count(*) > 10 and count(*) = (
        select d.chunk_count from documents d where d.collection_id = :collection_id and d.id = a.document_id)
), of_whole as materialized (
    select a.* from allowed a where (a.document_id in (select w.document_id from whole w)) is true
), of_parts as materialized (
    select a.* from allowed a where (a.document_id in (select w.document_id from whole w)) is not true
), members as materialized (
    select a.document_id, coalesce(p.id, a.id) as passage_id, a.id as chunk_id, a.start_index, a.end_index
    from of_whole a
    full join (select w.document_id, w.id from of_whole w) p
        on p.document_id = a.document_id and p.id = case when a.level = 'CHILD' then a.parent_id end
    where coalesce(a.id, '') <> ''
    union all
    select a.document_id, a.id, a.id, a.start_index, a.end_index
    from (
        select a.* from of_parts a
        full join (select o.document_id, o.id from of_parts o) p
            on p.document_id = a.document_id and p.id = case when a.level = 'CHILD' then a.parent_id end
        where coalesce(a.id, '') <> '' and p.id is null
    ) a
    left join lateral (
        select p.id from document_chunks p
        where p.collection_id = :collection_id and p.document_id = a.document_id and p.id = a.parent_id
          and a.level = 'CHILD' offset 0
    ) p on true
    where p.id is null
    union all
    select a.document_id, a.id, c.id, c.start_index, c.end_index from of_parts a
    cross join lateral (
        select c.id, c.start_index, c.end_index from document_chunks c
        where c.collection_id = :collection_id and c.document_id = a.document_id and c.parent_id = a.id
          and c.level = 'CHILD' offset 0
    ) c
), measured as materialized (
    select m.document_id, m.chunk_id, m.passage_id, m.start_index, m.end_index, {measured_member}
    from members m
    cross join lateral (
        select v.vector, v.wide_vector from vectors v
        where v.collection_id = :collection_id and v.document_id = m.document_id and v.chunk_id = m.chunk_id
          and v.model_id = :model_id offset 0
    ) v
    {distance_of_member}
    where exists (select 1 from collections k
              where k.id = :collection_id and k.active_model_id = :model_id and k.distance_metric = :metric)
)

-- name: passages_of_matching(collection_id, model_id, metric, query, filter, top_k, margin)
with allowed as materialized (
    select c.document_id, c.id, c.level, c.parent_id, c.start_index, c.end_index from document_chunks c
    where c.collection_id = :collection_id and c.facts @@ :filter::jsonpath
      and c.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
), {measured_of_allowed}, {all_looked_at}, {best_families}

-- name: passages_of_named(collection_id, model_id, metric, query, filter, few, top_k, margin)
-- The same where the index over facts names the rows. Of more than `few`, `looked_at` is null.
with {few_named}, allowed as not materialized (
    select n.* from named n where (select f.are_few from few f)
), {measured_of_allowed}, looked_at as materialized (
    select case when (select f.are_few from few f) then count(*) end as vectors from measured
), {best_families}

-- name: passages_by_graph(collection_id, model_id, dimensions, query, filter, limit, top_k, margin)
-- From the nearest vectors to their passages. A graph may give fewer than are wanted, so `looked_at` says how many.
with near as materialized (
    select v.document_id, v.chunk_id
    from vectors v
    where v.collection_id = :collection_id and v.model_id = :model_id
      and exists (select 1 from collections k
                  where k.id = :collection_id and k.active_model_id = :model_id and k.distance_metric = 'cosine')
      and v.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
      and {passage_matches}
    order by halfvec(v.vector, :dimensions::integer, true) <#> (select :query::vector::halfvec)
    limit :limit
), {families_of_near}, {best_families}

-- name: passages_by_bits(collection_id, model_id, dimensions, query, filter, candidates, limit, top_k, margin)
with near as materialized (
    select s.document_id, s.chunk_id
    from (
        select v.document_id, v.chunk_id, v.vector
        from vectors v
        where v.collection_id = :collection_id and v.model_id = :model_id
          and exists (select 1 from collections k
                  where k.id = :collection_id and k.active_model_id = :model_id and k.distance_metric = 'cosine')
          and v.document_id not in (select h.id from documents h where h.collection_id = :collection_id and h.is_active = 0)
          and {passage_matches}
        order by "bit"(binary_quantize(v.vector), :dimensions::integer, true) <~> binary_quantize(:query::vector::halfvec)
        limit :candidates
    ) s
    order by s.vector <#> (select :query::vector::halfvec)
    limit :limit
), {families_of_near}, {best_families}
