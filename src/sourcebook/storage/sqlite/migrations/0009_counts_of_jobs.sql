-- Each reading of the figures asks how many jobs there are of each kind. They are never removed, and one is written for
-- each upload: they are counted without reading a job.

create index idx_jobs_status on jobs (status, kind);
