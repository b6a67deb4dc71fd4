-- The state of the database for the metrics: standbys, backups and the WAL archive.

-- The time of the last backup, for the metrics.
create index audit_log_backups on audit_log (at) where action = 'backup.complete';

-- Returns the state of the database. The columns:
-- - standbys: the synchronous standbys that stream. Null without pg_read_all_stats, which shows them (docs/run-many.md).
-- - replication_lag_seconds: the longest time that a standby needed to replay. Null without pg_read_all_stats.
-- - backup_age_seconds: the time since the last backup, or since the first migration.
-- - archive_failing_seconds: the time since the last WAL file was archived, if archiving fails; else 0.
create function database_health() returns table (
  standbys integer, replication_lag_seconds float8, backup_age_seconds float8, archive_failing_seconds float8
) language sql stable as $$
  select
    case when pg_has_role('pg_read_all_stats', 'usage')
      then (count(*) filter (where s.state = 'streaming' and s.sync_state in ('sync', 'quorum')))::integer end,
    case when pg_has_role('pg_read_all_stats', 'usage')
      then coalesce(extract(epoch from max(s.replay_lag)), 0)::float8 end,
    extract(epoch from clock_timestamp() - coalesce(
      (select max(at) from audit_log where action = 'backup.complete'),
      (select min(migration_time) from knex_migrations)))::float8,
    (select case when last_failed_time > coalesce(last_archived_time, '-infinity')
      then extract(epoch from clock_timestamp() - coalesce(last_archived_time, stats_reset)) else 0 end from pg_stat_archiver)::float8
  from pg_stat_replication s
$$;

do $$
begin
  execute format('alter function database_health() security definer set search_path = %I, pg_temp', current_schema());
  revoke execute on function database_health() from public;
end $$;

insert into database_rights (object, role, rights)
values
  ('function database_health()', 'tour_platform_api', ''),
  ('function database_health()', 'tour_platform_queue', 'execute');
select grant_database_roles();
