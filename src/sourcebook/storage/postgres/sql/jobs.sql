-- name: take_turn_to_claim()
-- Of two workers that look at the same moment, the second sees what the first has taken.
select pg_advisory_xact_lock(hashtextextended('sourcebook jobs', 0))

-- name: claim_job(kinds, worker, lease_until, now)
-- The lease is fenced by the number of the attempt: whoever held an earlier one can no longer finish the job. While a
-- version of a file is worked on, no other version of it is. A job that somebody else is just changing is passed over.
update jobs
set status = 'doing', worker = :worker, lease_until = :lease_until, attempts = attempts + 1, updated_at = :now
where id = (
    select id from jobs j
    where status = 'pending' and run_at <= :now and kind = any (:kinds::text[])
      and not exists (
          select 1 from jobs other
          where other.status = 'doing' and other.kind = j.kind
            and other.payload::json ->> 'path' = j.payload::json ->> 'path'
            and other.payload::json ->> 'collection' = j.payload::json ->> 'collection'
      )
    order by priority desc, run_at, id limit 1
    for update skip locked
)
returning id, kind, payload, status, attempts, max_attempts, worker, lease_until, run_at, unique_key, result, error

-- name: newest_jobs(kind, collections, before, limit)
select id, kind, payload, status, attempts, max_attempts, worker, lease_until, run_at, unique_key, result, error
from jobs
where kind = :kind and (:before::bigint is null or id < :before)
  and (:collections::text[] is null or payload::json ->> 'collection' = any (:collections::text[]))
order by id desc limit :limit

-- name: supersede_jobs(kind, collection, path, before, result, now)
update jobs
set status = 'done', result = :result, error = null, worker = null, lease_until = null, finished_at = :now,
    updated_at = :now
where kind = :kind and id < :before and status in ('pending', 'doing')
  and payload::json ->> 'path' = :path and payload::json ->> 'collection' = :collection
