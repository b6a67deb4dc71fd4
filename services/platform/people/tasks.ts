import { CHANGES_OF_SALES, ERASED_COLUMNS, PLAIN_TABLES, VIEWER_COLUMNS } from './columns';

/** The roles of people (ADR 77). `tour_platform_<role>` is the group of the database. */
export const PERSON_ROLES = ['viewer', 'desk', 'catalog', 'keys', 'admin'] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];

/** A task: the commands that do it, the roles that may do it, and the rights that its statements need. */
interface Task {
  name: string;
  /** Noun and verb, such as `booking add`, a verb without a noun, or a noun with `*` for all its verbs. */
  commands: readonly string[];
  /** The actions in the audit log beside those of the commands, such as `booking.import_undo`. */
  actions?: readonly string[];
  roles: readonly PersonRole[];
  /** The text between GRANT and ON, by object as GRANT names it. */
  rights: Readonly<Record<string, string>>;
}

const EVERYONE = PERSON_ROLES;

/** The commands, and the flags of commands, that do the tasks of two roles: a person needs both. */
export const TASKS_OF_TWO: readonly {
  words: readonly string[];
  commands: readonly string[];
  roles: readonly PersonRole[];
}[] = [
  { words: ['departure set-pickup'], commands: ['departure set-pickup'], roles: ['catalog', 'desk'] },
  { words: ['--cancel-bookings'], commands: ['departure cancel'], roles: ['catalog', 'desk'] },
  {
    words: ['--add-seats'],
    commands: ['booking add', 'booking import', 'hold add'],
    roles: ['catalog', 'desk'],
  },
];

const ofAll = (objects: readonly string[], rights: string) =>
  Object.fromEntries(objects.map((object) => [object, rights]));

/** Returns the right to write these columns. @param columns separated by spaces */
const writing = (right: 'insert' | 'update', columns: string) =>
  `${right} (${columns.replaceAll(' ', ', ')})`;

const updatesOf = (columns: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(columns).map(([table, names]) => [table, writing('update', names)]));

/** Returns the view that hides the columns of a table that are not in VIEWER_COLUMNS. */
const viewOf = (table: string) =>
  `${table.startsWith('webhook_') ? 'without_bodies' : 'without_customers'}.${table}`;

/**
 * Lists all tasks.
 *
 * @rule which role may use which command, and the rights of each: test/people/people.long.test.ts
 *
 * The grants in the migrations, docs/people.md, the refusals of the terminal, its help and the completion of the shell
 * follow from this list.
 */
export const TASKS: readonly Task[] = [
  {
    name: 'look',
    commands: [
      'tenant list',
      'tenant show',
      'use',
      'key list',
      'key inspect',
      'widget list',
      'widget doctor',
      'widget element',
      'origins list',
      'visibility show',
      'visibility explain',
      'pricing show',
      'pricing simulate',
      'rates list',
      'catalog export',
      'catalog list',
      'catalog show',
      'pickup list',
      'resource list',
      'resource show',
      'departure list',
      'departure manifest',
      'hold list',
      'hold show',
      'booking list',
      'booking show',
      'booking stats',
      'booking refusals',
      'booking export',
      'report sales',
      'webhook list',
      'webhook show',
      'delivery list',
      'delivery show',
      'open docs',
      'status',
      'logs',
      'doctor',
      'config *',
      'completion *',
    ],
    roles: EVERYONE,
    rights: {
      ...ofAll(PLAIN_TABLES, 'select'),
      ...ofAll(Object.keys(VIEWER_COLUMNS).map(viewOf), 'select'),
      // Functions that count seats name the tables themselves.
      ...Object.fromEntries(
        Object.entries(VIEWER_COLUMNS).map(([table, names]) => [
          table,
          `select (${names.replaceAll(' ', ', ')})`,
        ]),
      ),
      webhook_secrets: 'select (id, endpoint_id, key_id, created_at, expires_at)',
      webhook_endpoint_headers: 'select (endpoint_id, names, id, key_id)',
      ...ofAll(['schema without_customers', 'schema without_bodies'], 'usage'),
      'function current_person()': 'execute',
      api_keys:
        'select (id, tenant_id, family_id, name, website, scopes, digest_alg, created_at, expires_at, revoked_at, replaced_by, ' +
        'last_used_at, browser_seen_at)',
      widget_tokens:
        'select (id, tenant_id, family_id, origins, digest_alg, created_at, expires_at, revoked_at, replaced_by, last_used_at)',
      audit_log:
        'select (id, at, actor, host, action, tenant_id, subject, login, person, by_owner), ' +
        'insert (actor, host, action, tenant_id, subject, before, after)',
    },
  },
  {
    name: 'see customers',
    commands: [],
    roles: ['desk', 'admin'],
    rights: ofAll(Object.keys(VIEWER_COLUMNS), 'select'),
  },
  {
    name: 'sell',
    commands: [
      'booking add',
      'booking import',
      'booking change',
      'booking confirm',
      'booking cancel',
      'booking expire',
      'hold add',
      'hold release',
      'departure move',
      'departure set-pickup',
      'delivery retry',
      'delivery replay',
    ],
    roles: ['desk', 'admin'],
    actions: ['booking.import_undo'],
    rights: {
      // A lock of a row needs the right to update one of its columns. A trigger refuses every other value.
      ...ofAll(['departures', 'resources', 'tenants', 'webhook_endpoints'], 'update (created_at)'),
      tours: 'update (revision)',
      ...updatesOf(CHANGES_OF_SALES),
      seat_holds: `insert, ${writing('update', CHANGES_OF_SALES.seat_holds)}`,
      booking_leads: `insert, ${writing('update', CHANGES_OF_SALES.booking_leads)}`,
      booking_answers: `insert, ${writing('update', CHANGES_OF_SALES.booking_answers)}`,
      ...ofAll(['hold_changes', 'booking_changes', 'payment_reminders', 'webhook_events'], 'insert'),
      'sequence booking_leads_id_seq': 'usage',
      'function refuse_discount(uuid, bigint, bigint)': 'execute',
      // The undo of an import erases customers.
      'function analyze_customer_tables()': 'execute',
      booking_imports: 'insert (id, tenant_id, created_by, silent, key_check), update (undone_at, undone_by)',
      webhook_deliveries: 'insert, update (status, next_attempt_at, finished_at)',
      webhook_queue: 'insert, update (next_at, asked)',
    },
  },
  {
    name: 'change the catalog and the prices',
    commands: [
      'catalog check',
      'catalog import',
      'catalog publish',
      'catalog archive',
      'pickup add',
      'pickup set',
      'pickup remove',
      'resource add',
      'resource set',
      'resource close',
      'resource reopen',
      'resource remove',
      'departure add',
      'departure schedule',
      'departure cancel',
      'departure reopen',
      'departure set-seats',
      'departure set-time',
      'departure set-price',
      'departure set-uses',
      'pricing add',
      'pricing remove',
      'rates set',
      'rates import',
      'visibility allow',
      'visibility deny',
      'visibility clear',
    ],
    roles: ['catalog', 'admin'],
    rights: {
      ...ofAll(['tours', 'departures', 'exchange_rates'], 'insert, update'),
      ...ofAll(
        [
          'pickup_points',
          'resources',
          'resource_closings',
          'price_rules',
          'visibility_tour_rules',
          'visibility_continent_rules',
        ],
        'insert, update, delete',
      ),
      ...ofAll(['tour_imports', 'tour_edits'], 'select, insert, update, delete'),
      demo_tours: 'delete',
      tenants: 'update (created_at)',
      ...ofAll(['webhook_events', 'webhook_deliveries', 'webhook_queue'], 'insert'),
      ...ofAll(['webhook_events', 'webhook_deliveries'].map(viewOf), 'insert'),
    },
  },
  {
    name: 'manage tenants, keys and webhooks',
    commands: [
      'tenant create',
      'tenant activate',
      'tenant suspend',
      'tenant close',
      'tenant set',
      'tenant onboard',
      'key issue',
      'key rotate',
      'key revoke',
      'widget issue',
      'widget rotate',
      'widget revoke',
      'origins add',
      'origins remove',
      'origins set',
      'webhook add',
      'webhook set',
      'webhook rotate-secret',
      'webhook pause',
      'webhook resume',
      'webhook disable',
      'webhook enable',
      'webhook remove',
      'webhook ping',
      'webhook trigger',
      'webhook listen',
    ],
    roles: ['keys', 'admin'],
    rights: {
      ...ofAll(['tenants', 'api_keys', 'widget_tokens'], 'select, insert, update'),
      ...ofAll(['webhook_endpoints', 'webhook_health', 'webhook_queue'], 'insert, update, delete'),
      ...ofAll(['webhook_secrets', 'webhook_endpoint_headers'], 'select, insert, update, delete'),
      // The role chooses the address of each event, so it may read the event.
      ...ofAll(['webhook_events', 'webhook_deliveries', 'webhook_attempts'], 'select, insert, update'),
      secret_checks: 'insert',
    },
  },
  {
    name: 'administer',
    commands: [
      'people list',
      'people add',
      'people set',
      'people rotate',
      'people remove',
      'audit *',
      'booking anonymize',
      'hold anonymize',
      'customer erase',
      'report adjustments',
      'monitor',
      'open monitor',
    ],
    roles: ['admin'],
    rights: {
      audit_log: 'select',
      idempotency_keys: 'select, update, delete',
      ...updatesOf(ERASED_COLUMNS),
      ...ofAll(['booking_changes', 'hold_changes', 'sale_refusals', 'webhook_attempts'], 'update'),
      ...ofAll(['webhook_events', 'webhook_deliveries'], 'update'),
      webhook_queue: 'insert, update, delete',
      webhook_monitor_sessions: 'select, insert, delete',
      ...ofAll(
        [
          'function people_add(text, text[], timestamptz, text)',
          'function people_set(text, text[], timestamptz)',
          'function people_rotate(text, text)',
          'function people_remove(text)',
          'function people_end_sessions(text)',
          'function people_drop_login(text)',
          'function people_sessions()',
          'function erase_from_audit(bigint, jsonb, jsonb)',
          'function analyze_customer_tables()',
        ],
        'execute',
      ),
    },
  },
];

/** Returns the roles that may use a command. An empty list: the owner only. @param command such as `booking add` */
export function rolesOfCommand(command: string): readonly PersonRole[] {
  const [noun] = command.split(' ');
  const task = TASKS.find(({ commands }) => commands.includes(command) || commands.includes(`${noun} *`));
  return task?.roles ?? [];
}

/** Returns the roles that may use a verb without a noun, or some verb of a noun. */
export function rolesOfSome(name: string): PersonRole[] {
  const ofName = (command: string) => command === name || command.startsWith(`${name} `);
  return PERSON_ROLES.filter((role) =>
    TASKS.some(({ roles, commands }) => roles.includes(role) && commands.some(ofName)),
  );
}

/** Returns the roles that a command or a flag needs together. Empty: one role is enough. @param word such as `--add-seats` */
export function rolesNeededTogether(word: string): readonly PersonRole[] {
  return TASKS_OF_TWO.find(({ words }) => words.includes(word))?.roles ?? [];
}

/** Returns true if one of the roles may see customers. */
export function seesCustomers(roles: readonly PersonRole[]): boolean {
  return roles.some((role) => role === 'desk' || role === 'admin');
}

/** Returns true if one of the roles may open sealed secrets. */
export function opensSecrets(roles: readonly PersonRole[]): boolean {
  return roles.some((role) => role === 'keys' || role === 'admin');
}

/** Returns the names of what the roles do not show. */
export function hiddenFrom(roles: readonly PersonRole[]): string[] {
  return [
    seesCustomers(roles) ? '' : 'customers',
    opensSecrets(roles) ? '' : 'secrets',
    roles.includes('admin') ? '' : 'the audit log',
    roles.includes('admin') ? '' : 'sessions of people',
  ].filter((name) => name !== '');
}
