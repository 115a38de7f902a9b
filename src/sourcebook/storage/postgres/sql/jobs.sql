-- name: claim_job(kinds, worker, lease_until, now)
-- The lease is fenced by the number of the attempt: whoever held an earlier one can no longer finish the job. A job that
-- somebody else is just taking is passed over.
update jobs
set status = 'doing', worker = :worker, lease_until = :lease_until, attempts = attempts + 1, updated_at = :now
where id = (
    select id from jobs
    where status = 'pending' and run_at <= :now and kind = any (:kinds::text[])
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
