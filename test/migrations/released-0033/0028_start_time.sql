-- The local time at which every departure of the tour begins, HH:MM; null: the tour has no fixed time.
alter table tours
  add column start_time text constraint tours_start_time_is_a_time check (start_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$');
