-- How many drafts wait is asked by every page and every reading of the figures: it is counted without reading a draft.

create index idx_moderation_waiting on moderation_queue (status, same_as, kind)
    where status = 'pending' and same_as is null;
