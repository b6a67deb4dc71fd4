import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Response } from 'supertest';
import { useTestApi } from '../support/api';
import { givenSeats, type Seats, useWebsite } from '../support/website';
import { useTemporaryFolder } from '../support/temporary-folder';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);
const folder = useTemporaryFolder();
let seats: Seats;
beforeAll(async () => {
  seats = await givenSeats(api.db, { seats: 5 });
  await api.db('resources').insert({ code: 'boat', name: 'Boat' });
});

/** Sends a request or runs a command that would break the rule. Returns what a person sees of it. */
type Attempt = () => Promise<{ refused: boolean; internal: boolean; text: string }>;

/** Runs a command that would break the rule. @param words `SLUG`, `TOUR` and `DATE` stand for those of the test */
function command(words: string, ...more: string[]): Attempt {
  return async () => {
    const known: Record<string, string> = { SLUG: site.tenant.slug, TOUR: seats.tour.slug, DATE: seats.date };
    const line = [...words.split(' ').map((word) => known[word] ?? word), ...more, '--json', '--yes'];
    const { code, stdout, stderr } = await terminal.tourctl(line);
    return {
      refused: code !== 0,
      internal: stderr.includes('internal_error'),
      text: stdout + stderr,
    };
  };
}

function request(send: () => Promise<Response>): Attempt {
  return async () => {
    const { status, text } = await send();
    return { refused: status >= 400, internal: status >= 500, text };
  };
}

const hold = (body: object) =>
  request(() => site.hold(seats.tour, { departure_date: seats.date, quantity: 1, ...body }));
const book = (body: object) => request(() => site.book({ tour_id: seats.tour.slug, ...body }));

/** Imports a tour with the given fields. */
function tour(fields: object): Attempt {
  return async () => {
    const file = path.join(folder, 'tours.json');
    const entry = {
      slug: 'rules',
      name: 'Rules',
      continent: 'asia',
      country: 'VN',
      duration_days: 1,
      currency: 'EUR',
      base_price: 1,
      ...fields,
    };
    await writeFile(file, JSON.stringify([entry]));
    return command(`catalog import ${file}`)();
  };
}

const departure = (fields: object) =>
  tour({ departures: [{ departure_date: '2031-05-01', seats_total: 4, prices: { adult: 1 }, ...fields }] });

const long = (length: number) => 'x'.repeat(length);
const CODE = 'only the code chooses the value';
const FIXED = 'the flag, the file or the request has the same list of values';

/** How each rule of the schema is kept before the database is asked: an attempt to break it, or the reason why there is none. */
const RULES: Record<string, Attempt | string> = {
  api_keys_digest_alg_known: CODE,
  api_keys_digest_length: CODE,
  api_keys_id_form: CODE,
  api_keys_name_length: command('key issue SLUG --scope catalog:read --name', long(201)),
  api_keys_scopes_known: command('key issue SLUG --scope catalog:write'),
  api_keys_website_length: command('key issue SLUG --scope catalog:read --website', `${long(260)}.example`),
  booking_changes_refund_complete: CODE,
  booking_changes_refund_percent_range: command('booking change ACME-1 --adults 1 --refund-percent 101'),
  booking_changes_refund_range: CODE,
  booking_imports_undone_by_someone: CODE,
  booking_leads_adjustment_not_zero: CODE,
  booking_leads_adjustment_reason_erased: CODE,
  booking_leads_adjustment_reason_length: CODE,
  booking_leads_adjustment_reason_of_one: CODE,
  booking_leads_cancel_reason_length: request(async () => {
    const { body } = await site.book({ tour_id: seats.tour.slug });
    return site.post(`/api/tenant/bookings/${body.booking_ref}/cancel`, { reason: long(501) });
  }),
  booking_leads_cash_of_operator: book({ payment_method: 'cash' }),
  booking_leads_customer_email_length: book({ email: `${long(250)}@example.com` }),
  booking_leads_customer_known: book({ email: '' }),
  booking_leads_customer_name_length: book({ name: long(201) }),
  booking_leads_date_and_departure: CODE,
  booking_leads_deposit_range: CODE,
  booking_leads_due_within_window: CODE,
  booking_leads_external_ref_length: book({ external_ref: long(129) }),
  booking_leads_hold_unique: request(async () => {
    const { body } = await site.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    const order = { tour_id: seats.tour.slug, hold_id: body.hold_id };
    await site.book(order);
    return site.book(order);
  }),
  booking_leads_import_ref: CODE,
  booking_leads_import_ref_length: CODE,
  booking_leads_notes_length: book({ notes: long(2001) }),
  booking_leads_payment_method_known: book({ payment_method: 'gold' }),
  booking_leads_phone_text_erased: request(async () => {
    const { body } = await site.book({ tour_id: seats.tour.slug });
    await command(`booking anonymize ${body.booking_ref}`)();
    return site.patch(`/api/tenant/bookings/${body.booking_ref}`, { phone: '030 901820 (Anna)' });
  }),
  booking_leads_ref_unique: CODE,
  booking_leads_refund_ceiling_range: CODE,
  booking_leads_refund_complete: CODE,
  booking_leads_refund_floor_range: CODE,
  booking_leads_refund_percent_range: CODE,
  booking_leads_refund_range: CODE,
  booking_leads_seats_range: book({ adults: 51 }),
  booking_leads_source_known: CODE,
  booking_leads_status_known: CODE,
  booking_leads_total_is_sum: book({ departure_date: '2031-05-01', children: 1 }),
  booking_leads_total_not_negative: CODE,
  booking_leads_travellers_are_list: book({ travellers: {} }),
  change_marks_at_commit: CODE,
  change_version_one_row: CODE,
  database_rights_role_known: CODE,
  departures_closes_before_form: departure({ closes_before: '1w' }),
  departures_never_oversold: command('departure set-seats TOUR DATE 0'),
  departures_one_a_day_during_update: 'only while an instance of an earlier release runs',
  departures_one_closing: departure({ closes_before: '1d', closes_at: '2031-04-30T12:00:00Z' }),
  departures_one_per_start: command('departure add TOUR DATE --seats 1 --adult 1'),
  departures_prices_valid: departure({ prices: { adult: 1e12 } }),
  departures_recount_uses: CODE,
  departures_return_not_before: departure({ return_date: '2031-04-30' }),
  departures_seats_range: departure({ seats_total: 100_001 }),
  departures_start_time_is_a_time: departure({ start_time: '25:00' }),
  departures_status_known: departure({ status: 'full' }),
  departures_told_apart: tour({
    departures: ['09:00', undefined].map((start_time) => ({
      departure_date: '2031-05-02',
      seats_total: 4,
      prices: { adult: 1 },
      start_time,
    })),
  }),
  departures_uses_valid: departure({ uses: [{ resource: 'boat' }, { resource: 'boat' }] }),
  exchange_rates_currency_form: command('rates set EURO 1.1'),
  exchange_rates_range: command('rates set USD 0.00000000001'),
  idempotency_keys_key_length: request(() =>
    site.book({ tour_id: seats.tour.slug }, { 'Idempotency-Key': long(256) }),
  ),
  octo_bookings_cancel_reason_length: request(() =>
    site.post(`/octo/bookings/${crypto.randomUUID()}/cancel`, { reason: long(501) }),
  ),
  octo_bookings_hold_unique: CODE,
  octo_bookings_notes_length: request(() => site.post('/octo/bookings', { notes: long(2001) })),
  octo_bookings_pickup_form: CODE,
  octo_bookings_unit_items_are_list: request(() => site.post('/octo/bookings', { unitItems: {} })),
  people_logins_login_key: CODE,
  people_name_form: command('people add o --role desk'),
  people_roles_known: command('people add olga --role chef'),
  people_transactions_at_commit: 'the code writes an audit row for each change',
  price_rules_category_form: command('pricing add SLUG --amount 1 --category Adult'),
  price_rules_category_of_money: command('pricing add SLUG --percent 1 --category adult'),
  price_rules_amount_range: command('pricing add SLUG --amount 99999999999999'),
  price_rules_continent_form: command('pricing add SLUG --percent 1 --continent', '-'),
  price_rules_kind_known: CODE,
  price_rules_one_scope: command('pricing add SLUG --percent 1 --continent asia --tour TOUR'),
  price_rules_percent_range: command('pricing add SLUG --percent -101'),
  price_rules_price_not_negative: command('pricing add SLUG --price -1'),
  price_rules_round_to_positive: command('pricing add SLUG --percent 1 --round-to 0'),
  price_rules_value: command('pricing add SLUG --percent 1 --price 1'),
  price_rules_window: command('pricing add SLUG --percent 1 --travel-from 2031-05-02 --travel-to 2031-05-01'),
  resource_closings_bounded: command('resource close boat --from 2031-05-02 --to 2031-05-01 --reason Dock'),
  resource_closings_reason_length: command(
    'resource close boat --from 2031-05-01 --to 2031-05-02 --reason',
    long(201),
  ),
  resource_closings_units_range: command(
    'resource close boat --from 2031-05-01 --to 2031-05-02 --units 1001 --reason Dock',
  ),
  resources_code_form: command('resource add Boat_1 --name Boat'),
  resources_code_key: command('resource add boat --name Boat'),
  resources_email_length: command('resource add b1 --name Boat --email', `${long(250)}@example.com`),
  resources_kind_known: FIXED,
  resources_name_length: command('resource add b1 --name', long(201)),
  resources_never_oversold: CODE,
  resources_phone_length: command('resource add b1 --name Boat --phone', '1'.repeat(101)),
  resources_places_range: command('resource add b1 --name Boat --places 100001'),
  resources_recount: CODE,
  resources_time_zone_known: command('resource add b1 --name Boat --time-zone Mars/Base'),
  resources_turnaround_range: command('resource add b1 --name Boat --turnaround 525601'),
  resources_units_range: command('resource add b1 --name Boat --units 1001'),
  sale_refusal_counts_positive: CODE,
  sales_are_of_their_tenants_kind: CODE,
  seat_holds_customer_email_length: hold({ customer: { email: `${long(250)}@example.com` } }),
  seat_holds_customer_erased: request(async () => {
    const { body } = await site.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    await command(`hold anonymize ${body.hold_id}`)();
    return site.patch(`/api/gateway/holds/${body.hold_id}`, { customer: { name: 'Ana Lima' } });
  }),
  seat_holds_customer_name_length: hold({ customer: { name: long(201) } }),
  seat_holds_external_ref_length: hold({ external_ref: long(129) }),
  seat_holds_life: request(async () => {
    const { body } = await site.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    await api
      .db('seat_holds')
      .where({ id: body.hold_id })
      .update({
        created_at: api.db.raw("created_at - interval '118 minutes'"),
        expires_at: api.db.raw("created_at + interval '1 minute'"),
      });
    return site.post(`/api/gateway/holds/${body.hold_id}/extend`, { hold_minutes: 60 });
  }),
  seat_holds_minutes_range: hold({ hold_minutes: 121 }),
  seat_holds_party_priced: hold({ children: 1 }),
  seat_holds_seats_range: hold({ quantity: 51 }),
  seat_holds_status_known: CODE,
  secret_checks_variable_known: CODE,
  tenants_availability_rpm_range: command('tenant set SLUG --availability-rpm 0'),
  tenants_booking_prefix_form: command('tenant set SLUG --booking-prefix a'),
  tenants_booking_prefix_unique: async () => {
    await command('tenant create --slug first-prefix --name First --booking-prefix FIRST')();
    return command('tenant create --slug second-prefix --name Second --booking-prefix FIRST')();
  },
  tenants_booking_rpm_range: command('tenant set SLUG --booking-rpm 0'),
  tenants_brand_color_form: command('tenant set SLUG --brand-color red'),
  tenants_brand_font_form: command('tenant set SLUG --brand-font', 'a;b'),
  tenants_brand_logo_scheme: command('tenant set SLUG --brand-logo http://example.com/a.png'),
  tenants_brand_radius_range: command('tenant set SLUG --brand-radius 33'),
  tenants_catalog_rpm_range: command('tenant set SLUG --catalog-rpm 0'),
  tenants_country_form: command('tenant set SLUG --country Germany'),
  tenants_currency_digits_range: CODE,
  tenants_currency_form: command('tenant set SLUG --currency EURO'),
  tenants_deposit_percent_range: command('tenant set SLUG --deposit-percent 101'),
  tenants_hold_default_range: command('tenant set SLUG --hold-max 10'),
  tenants_hold_max_range: command('tenant set SLUG --hold-max 61'),
  tenants_hold_rpm_range: command('tenant set SLUG --hold-rpm 0'),
  tenants_kind_never_changes: CODE,
  tenants_link_template_scheme: command('tenant set SLUG --link-template', 'ftp://example.com/{slug}'),
  tenants_desk_discount_range: command('tenant set SLUG --desk-discount 101'),
  tenants_max_hold_share_range: command('tenant set SLUG --max-hold-share 101'),
  tenants_max_holds_positive: command('tenant set SLUG --max-holds 0'),
  tenants_max_hold_trips_positive: command('tenant set SLUG --max-hold-trips 0'),
  tenants_max_unpaid_positive: command('tenant set SLUG --max-unpaid 0'),
  tenants_name_length: command('tenant set SLUG --name', long(201)),
  tenants_origins_at_most_twenty: command(
    'origins set SLUG',
    ...Array.from({ length: 21 }, (_, n) => `https://site${n}.example`),
  ),
  tenants_origins_no_wildcard: command('origins set SLUG https://*.example.com'),
  tenants_payment_method_known: command('tenant set SLUG --payment-method gold'),
  tenants_payment_note_length: command('tenant set SLUG --payment-note', long(1001)),
  tenants_payment_reminder_positive: command('tenant set SLUG --payment-reminder 0'),
  tenants_payment_window_positive: command('tenant set SLUG --payment-window 0'),
  tenants_sell_in_complete: CODE,
  tenants_sell_in_digits_range: CODE,
  tenants_sell_in_during_update: 'only while an instance of an earlier release runs',
  tenants_sell_in_form: command('tenant set SLUG --sell-in EURO'),
  tenants_slug_form: command('tenant create --name Slug --slug -a'),
  tenants_slug_unique: command('tenant create --name Slug --slug SLUG'),
  tenants_status_known: command('tenant set SLUG --status gone'),
  tours_base_price_range: tour({ base_price: 1e12 }),
  tours_booking_cutoff_form: tour({ booking_cutoff: '366d' }),
  tours_cancellation_form: tour({ cancellation: { tiers: {} } }),
  tours_cancellation_policy_length: tour({ cancellation_policy: long(2001) }),
  tours_categories_form: tour({ categories: {} }),
  booking_answers_answers_form: CODE,
  booking_answers_missing_range: CODE,
  booking_answers_pickup_form: CODE,
  booking_answers_questions_form: CODE,
  pickup_points_address_length: command('pickup add far --name Far --address', 'x'.repeat(501)),
  pickup_points_code_form: command('pickup add far.away --name Far'),
  pickup_points_directions_length: command('pickup add far --name Far --directions', 'x'.repeat(2001)),
  pickup_points_lat_range: command('pickup add far --name Far --lat 91 --lng 0'),
  pickup_points_lng_range: command('pickup add far --name Far --lat 0 --lng 181'),
  pickup_points_name_length: command('pickup add far --name', 'x'.repeat(201)),
  pickup_points_place_complete: command('pickup add far --name Far --lat 1'),
  pickup_points_translations_form: CODE,
  tours_pickup_form: tour({ pickup: [] }),
  tours_questions_form: tour({ questions: {} }),
  tours_continent_form: tour({ continent: '-' }),
  tours_country_form: tour({ country: 'Vietnam' }),
  tours_currency_digits_range: CODE,
  tours_currency_form: tour({ currency: 'EURO' }),
  tours_description_length: tour({ description: long(20_001) }),
  tours_duration_range: tour({ duration_days: 367 }),
  tours_end_location_object: tour({ end_location: [] }),
  tours_group_size_positive: tour({ group_size_max: 0 }),
  tours_image_url_scheme: tour({ image_url: '//example.com/a.png' }),
  tours_images_list: tour({ images: {} }),
  tours_images_schemes: tour({ images: [{ url: 'http://example.com/a.png', alt: 'A' }] }),
  tours_itinerary_list: tour({ itinerary: {} }),
  tours_language_form: tour({ language: 'd' }),
  tours_language_not_translated: tour({ language: 'de', translations: { de: { name: 'Regeln' } } }),
  tours_name_length: tour({ name: long(201) }),
  tours_recount_uses: CODE,
  tours_slug_form: tour({ slug: '-' }),
  tours_slug_unique: 'an import changes the tour that has the slug',
  tours_sort_key_unique: CODE,
  tours_start_location_object: tour({ start_location: [] }),
  tours_start_time_is_a_time: tour({ start_time: '24:00' }),
  tours_status_known: tour({ status: 'hidden' }),
  tours_summary_length: tour({ summary: long(2001) }),
  tours_time_zone_known: tour({ time_zone: 'Europe/Nowhere' }),
  tours_translation_names_object: CODE,
  tours_translations_object: tour({ translations: [] }),
  tours_uses_valid: tour({ uses: [{ resource: 'boat' }, { resource: 'boat' }] }),
  visibility_continent_form: command('visibility allow SLUG --continent', '-'),
  webhook_attempts_number_positive: CODE,
  webhook_attempts_outcome_known: CODE,
  webhook_deliveries_sent_somewhere: CODE,
  webhook_deliveries_status_known: CODE,
  webhook_endpoint_headers_nonce_length: CODE,
  webhook_endpoint_headers_some: request(() =>
    site.post('/octo/notifications/subscriptions', {
      subscriptionUrl: 'https://example.com/',
      webhookUrl: 'https://example.com/',
      headers: 1,
    }),
  ),
  webhook_endpoints_events_known: command('webhook add SLUG https://example.com/ --event booking.lost'),
  webhook_endpoints_events_of_octo: command(
    'webhook add SLUG https://example.com/ --event octo.booking_update',
  ),
  webhook_endpoints_format_known: command('webhook add SLUG https://example.com/ --format xml'),
  webhook_endpoints_status_known: FIXED,
  webhook_endpoints_url_length: command(`webhook add SLUG https://example.com/${long(2048)}`),
  webhook_events_traceparent_form: request(() =>
    site.book({ tour_id: seats.tour.slug }, { traceparent: `00-${long(32)}-${long(16)}-01` }),
  ),
  webhook_events_type_form: CODE,
  webhook_monitor_sessions_link_digest_key: CODE,
  webhook_monitor_sessions_session_digest_key: CODE,
  webhook_queue_lease_whole: CODE,
  webhook_secrets_nonce_length: CODE,
  widget_tokens_digest_alg_known: CODE,
  widget_tokens_digest_length: CODE,
  widget_tokens_id_form: CODE,
  widget_tokens_origins_at_most_twenty: command(
    'widget issue SLUG',
    ...Array.from({ length: 21 }, (_, n) => ['--origin', `https://site${n}.example`]).flat(),
  ),
  widget_tokens_origins_no_wildcard: command('widget issue SLUG --origin https://*.example.com'),
};

/** The attempts that are accepted, because the product changes the value: it limits a price, names a departure that exists, ignores a header. */
const ACCEPTED = new Set(['departures_one_per_start', 'webhook_events_traceparent_form']);

/** Returns the names of all rules of the schema but primary keys, foreign keys and not null: constraints, unique indexes and triggers. */
async function namesOfRules(): Promise<string[]> {
  const { rows } = await api.db.raw<{ rows: { name: string }[] }>(
    `select conname as name from pg_constraint
       where connamespace = 'public'::regnamespace and contype not in ('p', 'f', 'n')
     union select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
       where c.relnamespace = 'public'::regnamespace and i.indisunique and not i.indisprimary
     union select name[1] from pg_proc, regexp_matches(prosrc, 'constraint = ''(\\w+)''', 'g') name
       where pronamespace = 'public'::regnamespace`,
  );
  return rows.map(({ name }) => name).sort();
}

describe('The rules of the database', () => {
  it('each rule of the schema is listed here with an attempt to break it, or with the reason why nobody can', async () => {
    expect(Object.keys(RULES).sort()).toEqual(await namesOfRules());
  });

  const attempts = Object.entries(RULES).filter(
    (rule): rule is [string, Attempt] => typeof rule[1] !== 'string',
  );
  it.each(attempts)(
    'an attempt to break %s never ends as an internal error, and shows no SQL',
    async (name, attempt) => {
      expect(await attempt()).toEqual({
        refused: !ACCEPTED.has(name),
        internal: false,
        text: expect.not.stringMatching(`${name}|constraint|SQLSTATE`),
      });
    },
  );

  it('a rule that no use case knows ends a command with one line, without SQL, names of rules and values', async () => {
    await api.db.raw(
      `alter table tenants add constraint tenants_unknown_rule check (name <> 'Forbidden - name')`,
    );
    const { code, stderr } = await terminal.tourctl([
      ...'tenant create --slug unknown-rule --name'.split(' '),
      'Forbidden - name',
    ]);
    await api.db.raw('alter table tenants drop constraint tenants_unknown_rule');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'error: The database refused this (SQLSTATE 23514). The log of the database server has the reason\n',
    });
  });
});
