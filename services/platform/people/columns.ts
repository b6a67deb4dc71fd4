/** Tables and views without personal data and without secrets: every person reads them. */
export const PLAIN_TABLES = [
  'tenants',
  'tours',
  'tour_tags',
  'tour_names',
  'tour_tag_names',
  'pickup_points',
  'resources',
  'resource_closings',
  'departure_uses',
  'departures',
  'next_departures',
  'visibility_tour_rules',
  'visibility_continent_rules',
  'price_rules',
  'exchange_rates',
  'demo_tours',
  'hold_extensions',
  'payment_reminders',
  'sale_refusal_counts',
  'webhook_endpoints',
  'webhook_queue',
  'webhook_health',
  'webhook_pulse',
  'webhook_workers',
  'change_version',
  'api_instances',
  'catalog_commits',
  'tour_changes',
  'tenant_changes',
  'tour_publications',
  'visibility_periods',
  'tour_publication_times',
  'visibility_times',
  'secret_checks',
  'people',
  'knex_migrations',
  'database_rights',
  'rolling_migrations',
];

/**
 * @rule which columns of customers a viewer does not see: test/people/people.long.test.ts
 *
 * The columns of the tables with data of customers that every person sees. All other columns are null for people who may not see customers:
 * names, phones, e-mail addresses, notes, travellers, answers, places of a pickup, reasons, references of websites, contacts of OCTO, and bodies of events and
 * attempts.
 */
export const VIEWER_COLUMNS: Readonly<Record<string, string>> = {
  seat_holds:
    'id tenant_id departure_id seats hold_minutes status expires_at prices_minor currency currency_digits price_breakdown created_at ' +
    'ended_at placed_by ended_by party sandbox anonymized_at cancellation categories platform_prices_minor by_desk',
  hold_changes: 'hold_id at by fields',
  booking_leads:
    'id booking_ref tenant_id tour_id departure_id departure_date hold_id party status prices_minor total_minor deposit_minor currency ' +
    'currency_digits price_breakdown payment_method source created_at payment_due_at confirmed_at cancelled_at expired_at created_by ' +
    'confirmed_by cancelled_by anonymized_at seats updated_at sandbox cancellation refund_ceiling refund_percent refund_minor categories ' +
    'payment_window_ends_at refund_floor platform_prices_minor adjustment_minor import_id',
  booking_changes: 'lead_id at by fields refund_percent refund_minor',
  booking_answers: 'lead_id questions missing checked_at',
  booking_imports: 'id tenant_id created_at created_by silent undone_at undone_by',
  octo_bookings: 'tenant_id uuid hold_id updated_at departure_date',
  sale_refusals:
    'id at tenant_id operation code request_id tour_id departure_date quantity seats_available hold_id booking_ref departure_time resource',
  webhook_events: 'id tenant_id type booking_ref created_at traceparent',
  webhook_deliveries:
    'id event_id tenant_id endpoint_id status attempts next_attempt_at last_status_code created_at finished_at',
  webhook_attempts: 'delivery_id number started_at duration_ms outcome status_code phases peer worker',
};

/**
 * The columns that the commands of a sale change in a stored row. The database compares their values with the rules of a sale: the triggers
 * `…_by_person` of the migrations.
 */
export const CHANGES_OF_SALES = {
  seat_holds: 'status ended_at ended_by departure_id expires_at',
  booking_leads:
    'status confirmed_at confirmed_by cancelled_at cancelled_by cancel_reason refund_percent refund_minor expired_at updated_at ' +
    'departure_id departure_date cancellation refund_ceiling refund_floor party seats categories prices_minor platform_prices_minor ' +
    'price_breakdown total_minor adjustment_minor adjustment_reason deposit_minor external_ref notes travellers customer_name ' +
    'customer_phone customer_phone_as_sent customer_email import_ref import_digest anonymized_at',
  booking_answers: 'answers missing pickup',
  // The triggers of a move write it.
  octo_bookings: 'departure_date',
};

/** The columns that an erasure changes. */
export const ERASED_COLUMNS = {
  seat_holds: 'customer_name customer_phone customer_phone_as_sent customer_email external_ref anonymized_at',
  booking_leads:
    'customer_name customer_phone customer_phone_as_sent customer_email notes travellers cancel_reason adjustment_reason external_ref ' +
    'import_ref anonymized_at',
  booking_answers: 'answers missing pickup',
  octo_bookings: 'request_digest contact unit_items notes cancel_reason pickup',
};
