/**
 * The tables that a backup copies. A migration that adds a table must add its name here or to LEFT_OUT_TABLES; otherwise
 * test/backup/tables.test.ts fails. The order does not matter, because a restore adds the foreign keys after the rows.
 */
export const COPIED_TABLES = [
  'tenants',
  'api_keys',
  'widget_tokens',
  'pickup_points',
  'tours',
  'tour_tags',
  'tour_names',
  'tour_tag_names',
  'resources',
  'resource_closings',
  'departures',
  'departure_uses',
  'next_departures',
  'next_departures_due',
  'visibility_tour_rules',
  'visibility_continent_rules',
  'price_rules',
  'exchange_rates',
  'seat_holds',
  'hold_extensions',
  'hold_changes',
  'booking_imports',
  'booking_leads',
  'booking_changes',
  'booking_answers',
  'payment_reminders',
  'octo_bookings',
  'octo_catalog_reads',
  'sale_refusal_counts',
  'sale_refusals',
  'idempotency_keys',
  'audit_log',
  'people',
  'webhook_endpoints',
  'webhook_secrets',
  'webhook_endpoint_headers',
  'webhook_events',
  'webhook_deliveries',
  'webhook_attempts',
  'webhook_queue',
  'webhook_health',
  'webhook_pulse',
  'change_version',
  'catalog_commits',
  'catalog_restores',
  'tour_changes',
  'tenant_changes',
  'tour_publications',
  'visibility_periods',
  'secret_checks',
  'demo_tours',
] as const;

/** The tables that a backup leaves out, each with the reason. */
export const LEFT_OUT_TABLES = {
  knex_migrations: 'a restore runs the migrations itself',
  knex_migrations_lock: 'a restore runs the migrations itself',
  rolling_migrations: 'a restore runs the migrations itself',
  api_instances: 'the processes that run',
  webhook_workers: 'the processes that run',
  change_marks: 'transactions that run',
  database_rights: 'a restore runs the migrations itself',
  viewer_columns: 'a restore runs the migrations itself',
  people_tasks: 'a restore runs the migrations itself',
  people_logins: 'the logins of a server are not in a backup',
  people_transactions: 'transactions that run',
  webhook_monitor_sessions: 'a session of the monitoring page must not open a copy',
  tour_imports: 'only makes the next import faster',
  tour_edits: 'belongs to tour_imports, and has transaction numbers of the old server',
};

/** The schemas of views that hide data from some people. A restore drops them before the tables. */
export const VIEW_SCHEMAS = ['without_customers', 'without_bodies'];

/** The views of the product. A restore drops them before the tables. */
export const VIEWS = ['tour_publication_times', 'visibility_times'];

/**
 * The tables in which each running instance writes the time of its last sign of life, and the name of that column. An instance counts as
 * ended if this time is more than `seconds` ago.
 */
export const HEARTBEATS = {
  api_instances: { column: 'polled_at', seconds: 5 },
  webhook_workers: { column: 'beat_at', seconds: 15 },
};
