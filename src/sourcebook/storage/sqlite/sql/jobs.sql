-- name: take_turn_to_claim()
-- Writers take turns here anyway.

-- name: claim_job(kinds, worker, lease_until, now)
-- The lease is fenced by the number of the attempt: whoever held an earlier one can no longer finish the job. While a
-- version of a file is worked on, no other version of it is.
update jobs
set status = 'doing', worker = :worker, lease_until = :lease_until, attempts = attempts + 1, updated_at = :now
where id = (
    select id from jobs j
    where status = 'pending' and run_at <= :now and kind in (select value from json_each(:kinds))
      and not exists (
          select 1 from jobs other
          where other.status = 'doing' and other.kind = j.kind
            and json_extract(other.payload, '$.path') = json_extract(j.payload, '$.path')
            and json_extract(other.payload, '$.collection') = json_extract(j.payload, '$.collection')
      )
    order by priority desc, run_at, id limit 1
)
returning id, kind, payload, status, attempts, max_attempts, worker, lease_until, run_at, unique_key, result, error

-- name: newest_jobs(kind, collections, before, limit)
select id, kind, payload, status, attempts, max_attempts, worker, lease_until, run_at, unique_key, result, error
from jobs
where kind = :kind and (:before is null or id < :before)
  and (:collections is null
       or json_extract(payload, '$.collection') in (select value from json_each(:collections)))
order by id desc limit :limit

-- name: supersede_jobs(kind, collection, path, before, result, now)
update jobs
set status = 'done', result = :result, error = null, worker = null, lease_until = null, finished_at = :now,
    updated_at = :now
where kind = :kind and id < :before and status in ('pending', 'doing')
  and json_extract(payload, '$.path') = :path and json_extract(payload, '$.collection') = :collection
