-- name: import_take_turn()
-- Whoever writes is alone here.

-- name: import_continue_numbers()
-- The database goes on behind the highest number by itself.
