-- Whether answers to a question were rejected is looked up with every question.

create index idx_moderation_rejected on moderation_queue (collection_id, id)
    where status = 'rejected' and kind = 'answer' and same_as is null;
