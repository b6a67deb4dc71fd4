-- The indexes of the periods of 0025, which would lengthen its locks. migrate.ts runs each statement by itself, as in 0019.
drop index concurrently if exists tour_publications_by_tour;
create index concurrently tour_publications_by_tour on tour_publications (tour_id);

drop index concurrently if exists tour_publications_ended;
create index concurrently tour_publications_ended on tour_publications (until_change, tour_id) where until_change is not null;

drop index concurrently if exists visibility_periods_by_scope;
create index concurrently visibility_periods_by_scope on visibility_periods (tenant_id, scope);

drop index concurrently if exists visibility_periods_ended;
create index concurrently visibility_periods_ended on visibility_periods (until_change) where until_change is not null;
