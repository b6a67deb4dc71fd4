-- The trace of an event: the request that caused it (W3C Trace Context, version 00). Null: the request had no trace, or no request caused the
-- event. A delivery in a trace links to it.
alter table webhook_events add column traceparent text;
-- Not valid: old rows have null, so none is read while the table is locked.
alter table webhook_events add constraint webhook_events_traceparent_form
  check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$') not valid;
