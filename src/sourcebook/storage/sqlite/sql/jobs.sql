-- name: claim_job(kinds, worker, lease_until, now)
-- The lease is fenced by the number of the attempt: whoever held an earlier one can no longer finish the job.
update jobs
set status = 'doing', worker = :worker, lease_until = :lease_until, attempts = attempts + 1, updated_at = :now
where id = (
    select id from jobs
    where status = 'pending' and run_at <= :now and kind in (select value from json_each(:kinds))
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
