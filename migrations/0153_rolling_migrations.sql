-- The migrations after this one with whose schema processes of the release before can work (ADR 59). Such a migration adds its own name, and
-- these processes stay ready while it runs and after it. A process is not ready on the schema of a later migration that is not in this
-- table.
create table rolling_migrations (
  name text primary key
);

insert into database_rights (object, role, rights)
values
  ('rolling_migrations', 'tour_platform_api', 'select'),
  ('rolling_migrations', 'tour_platform_queue', 'select');
select grant_database_roles();
