-- name: insert_job(kind, payload, unique_key, run_at, max_attempts, now)
insert into jobs (kind, payload, status, max_attempts, run_at, unique_key, created_at, updated_at)
values (:kind, :payload, 'pending', :max_attempts, :run_at, :unique_key, :now, :now)
on conflict do nothing
returning id, kind, payload, status, attempts, max_attempts, worker, lease_until, run_at, unique_key, result, error

-- name: live_job(kind, unique_key)
select id, kind, payload, status, attempts, max_attempts, worker, lease_until, run_at, unique_key, result, error
from jobs where kind = :kind and unique_key = :unique_key and status in ('pending', 'doing')

-- name: extend_job(job_id, attempt, lease_until, now)
update jobs set lease_until = :lease_until, updated_at = :now
where id = :job_id and status = 'doing' and attempts = :attempt

-- name: complete_job(job_id, attempt, result, now)
update jobs
set status = 'done', result = :result, error = null, lease_until = null, finished_at = :now, updated_at = :now
where id = :job_id and status = 'doing' and attempts = :attempt

-- name: fail_job(job_id, attempt, error, retry_at, now)
update jobs
set status = case when cast(:retry_at as bigint) is null or attempts >= max_attempts then 'failed' else 'pending' end,
    run_at = coalesce(cast(:retry_at as bigint), run_at), error = :error, worker = null, lease_until = null, updated_at = :now,
    finished_at = case when cast(:retry_at as bigint) is null or attempts >= max_attempts then cast(:now as bigint) end
where id = :job_id and status = 'doing' and attempts = :attempt

-- name: sweep_jobs(now)
-- A job whose worker fell silent goes back; one that used up its attempts has failed.
update jobs
set status = case when attempts >= max_attempts then 'failed' else 'pending' end,
    error = case when attempts >= max_attempts then 'the worker stopped without finishing' else error end,
    finished_at = case when attempts >= max_attempts then cast(:now as bigint) end,
    worker = null, lease_until = null, updated_at = :now
where status = 'doing' and lease_until < :now

-- name: overdue_jobs(before, kind)
select count(*) as jobs from jobs
where status = 'pending' and run_at < :before and (cast(:kind as text) is null or kind = :kind)

-- name: job_by_id(job_id)
select id, kind, payload, status, attempts, max_attempts, worker, lease_until, run_at, unique_key, result, error
from jobs where id = :job_id

-- name: job_counts()
select kind, status, count(*) as jobs from jobs group by kind, status order by kind, status
