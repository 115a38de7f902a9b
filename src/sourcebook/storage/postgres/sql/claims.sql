-- name: take_claim(key)
-- It lasts as long as the connection, and so no longer than its process.
select pg_try_advisory_lock(hashtextextended('sourcebook claim ' || :key::text, 0)) as is_taken

-- name: give_back_claim(key)
select pg_advisory_unlock(hashtextextended('sourcebook claim ' || :key::text, 0)) as was_taken
