-- Drafts that wait and may be asked again are found by their group, however many wait.

create index idx_moderation_group on moderation_queue (group_key) where status = 'pending' and same_as is null;
