/**
 * Declares which folder may import which (docs/adr/, CONTRIBUTING.md). Each comment tells the reader of a violation what to do.
 * Patterns avoid nested quantifiers: the cruiser refuses those as unsafe.
 */
const EDGE = '[.](controller|router|request)[.]ts$';
const PRIVATE_TO_A_FOLDER = '[.](repository|controller|dto)[.]ts$';

const PLATFORM = [
  'config',
  'read-variable',
  'secrets',
  'database',
  'migrate',
  'embedded-postgres',
  'logger',
  'log-output',
  'errors',
  'forms',
  'shared-store',
  'read-cache',
  'html-template',
  'page-header',
  'http',
  'accounts',
  'people',
  'audit-log',
  'csv-cells',
  'directories',
  'metrics',
  'traces',
  'service',
  'readiness',
  'start-advice',
];

/** The folders of the API, and the folders that each may import: the edges first, then those that they stand on. */
const NEIGHBOURS = {
  rest: [
    'seats',
    'bookings',
    'holds',
    'departures',
    'resources',
    'catalog',
    'customers',
    'pricing',
    'parties',
    'questions',
    'pickups',
    'tenants',
    'credentials',
    'refusals',
    'idempotency',
  ],
  octo: [
    'seats',
    'bookings',
    'holds',
    'departures',
    'resources',
    'catalog',
    'customers',
    'pricing',
    'parties',
    'questions',
    'pickups',
    'tenants',
    'credentials',
    'refusals',
    'idempotency',
  ],
  // The widget's list has the items of the catalog's.
  widget: ['rest', 'catalog', 'pricing', 'tenants', 'credentials'],
  docs: [
    'rest',
    'octo',
    'widget',
    'catalog',
    'credentials',
    'idempotency',
    'bookings',
    'departures',
    'resources',
    'holds',
  ],
  demo: [
    'seats',
    'bookings',
    'departures',
    'resources',
    'catalog-import',
    'catalog',
    'pricing',
    'parties',
    'tenants',
    'credentials',
  ],
  'booking-import': [
    'seats',
    'bookings',
    'catalog-import',
    'departures',
    'resources',
    'catalog',
    'customers',
    'pricing',
    'parties',
    'questions',
    'pickups',
    'tenants',
  ],
  seats: [
    'bookings',
    'holds',
    'departures',
    'resources',
    'catalog',
    'pricing',
    'parties',
    'questions',
    'pickups',
    'tenants',
    'credentials',
    'audit',
    'customers',
    'idempotency',
    'refusals',
  ],
  bookings: [
    'holds',
    'departures',
    'resources',
    'catalog',
    'pricing',
    'parties',
    'questions',
    'pickups',
    'tenants',
    'audit',
    'customers',
    'idempotency',
    'refusals',
  ],
  holds: [
    'departures',
    'resources',
    'catalog',
    'pricing',
    'parties',
    'questions',
    'pickups',
    'tenants',
    'audit',
    'customers',
    'idempotency',
    'refusals',
  ],
  refusals: ['departures', 'resources', 'tenants', 'customers', 'idempotency'],
  'catalog-import': [
    'departures',
    'resources',
    'catalog',
    'pricing',
    'parties',
    'questions',
    'pickups',
    'tenants',
  ],
  departures: ['resources', 'catalog', 'pricing', 'parties', 'questions', 'pickups', 'tenants'],
  resources: ['catalog', 'pricing', 'parties', 'tenants'],
  health: ['catalog', 'tenants'],
  backup: ['catalog'],
  catalog: ['pricing', 'parties', 'questions', 'pickups', 'tenants'],
  customers: ['audit', 'tenants'],
  pricing: ['parties', 'tenants'],
  questions: ['parties', 'pickups', 'tenants'],
  pickups: [],
  parties: ['audit', 'tenants'],
  credentials: ['tenants'],
  audit: ['tenants'],
  idempotency: [],
  tenants: [],
};
const folders = Object.keys(NEIGHBOURS).join('|');

const directions = Object.entries(NEIGHBOURS).map(([folder, allowed]) => ({
  name: `${folder}-imports-its-neighbours-only`,
  comment:
    `services/api/${folder} may import ${allowed.join(', ') || 'no other folder'}. If you need the other direction, the code you ` +
    'are writing belongs in the folder you want to import from, or the caller passes the value in.',
  severity: 'error',
  from: { path: `^services/api/${folder}/` },
  to: {
    path: `^services/api/(${folders})/`,
    pathNot: `^services/api/(${[folder, ...allowed].join('|')})/`,
  },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment:
        'These files import each other in a cycle. Move what both need into one of them, or into a third file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycles',
      comment:
        'These folders import each other in a cycle. Let the folder that depends on the other pass in what the other needs. ' +
        '(The folders of the API have directions of their own below: here http/problems.ts, which imports types only, ' +
        'would count as a cycle.)',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(services|cli)' },
      to: { circular: true, pathNot: '^services/api/' },
    },
    {
      name: 'platform-stands-alone',
      comment:
        'Every process uses platform, so it imports no domain folder. If it needs your folder, what you are writing ' +
        'belongs in your folder.',
      severity: 'error',
      from: { path: '^services/platform/' },
      to: { path: '^(services/(?!platform/)|cli/|test/)' },
    },
    {
      name: 'platform-is-a-closed-list',
      comment:
        'services/platform holds what PLATFORM lists (docs/adr/0001). A new file there needs a line in that list.',
      severity: 'error',
      from: {},
      to: { path: '^services/platform/', pathNot: `^services/platform/(${PLATFORM.join('|')})([.]ts$|/)` },
    },
    {
      name: 'queue-knows-only-platform',
      comment:
        'The queue delivers what is written in its own tables. Put what it needs to know into the event.',
      severity: 'error',
      from: { path: '^services/webhook-queue/' },
      to: { path: '^(services/api/|cli/|test/)' },
    },
    {
      name: 'api-uses-the-entry-point',
      comment:
        'Only the queue uses its tables. Enqueue an event with enqueueDelivery in webhook-queue/enqueue-delivery.ts. A reseller manages its ' +
        'subscriptions by webhook-queue/subscriptions.ts.',
      severity: 'error',
      from: { path: '^services/api/' },
      to: {
        path: '^services/webhook-queue/',
        pathNot: '^services/webhook-queue/(enqueue-delivery|subscriptions)[.]ts$',
      },
    },
    {
      name: 'cli-calls-use-cases',
      comment:
        'A command calls the same use case that HTTP calls, or a select of a repository for an operator read. It imports no ' +
        "wire shapes. The queue's worker and its monitoring page are not for commands, except the sign-in link.",
      severity: 'error',
      from: { path: '^cli/' },
      to: {
        path: [
          '[.](controller|dto)[.]ts$',
          '^services/api/(http|generated)/',
          '^services/webhook-queue/(sending|worker|maintenance|metrics|monitor)/',
        ],
        pathNot: ['^services/webhook-queue/monitor/session[.]ts$'],
      },
    },
    {
      name: 'nobody-imports-cli',
      comment:
        'The terminal imports the services, never the reverse. Move the code into its domain folder and call it from both.',
      severity: 'error',
      from: { path: '^services/' },
      to: { path: '^(cli|test)/' },
    },
    {
      name: 'clients-stand-alone',
      comment:
        'A client is published without the rest of the repository. It knows the API by openapi.ts and by the sources that the build copies (SHARED in build.cjs).',
      severity: 'error',
      from: { path: '^clients/' },
      to: { path: '^(services|cli|test)/' },
    },
    {
      name: 'clients-are-for-tenants',
      comment: 'A client is for the servers of tenants. Call the use case.',
      severity: 'error',
      from: { path: '^(services|cli)/' },
      to: { path: '^clients/' },
    },
    {
      name: 'production-imports-no-test',
      comment: 'The image holds no tests. What both need is production code.',
      severity: 'error',
      from: { path: '^cli/' },
      to: { path: '^test/' },
    },
    {
      name: 'neighbours-import-use-cases',
      comment:
        'Call a use case of the other folder (find-tour.ts, check-seats.ts), not its repository, controller or dto: so each ' +
        'rule stays in one place, and the SQL of each table in one file.',
      severity: 'error',
      // seats/ puts its statements together from the parts of several tables; docs/ describes the wire shapes.
      from: { path: '^services/api/([^/]+)/', pathNot: '^services/api/(seats|docs)/' },
      to: { path: `^services/api/[^/]+/.*${PRIVATE_TO_A_FOLDER}`, pathNot: '^services/api/$1/' },
    },
    ...directions,
    {
      name: 'shared-sources-import-nothing',
      comment:
        'The build copies these two files into the clients, which are published alone. Put what needs another file, or a text, beside them.',
      severity: 'error',
      from: { path: '/(party-rules|contact-forms)[.]ts$' },
      to: {},
    },
    {
      name: 'the-engine-of-seats-has-few-entries',
      comment:
        'Edges, the terminal and the demo perform a change of seats: they import seats/perform, a file of seats/changes, and the types of ' +
        'seat-change, bulk-change and after-commit; doctor imports try-sale. If you need something inside, add it to a change.',
      severity: 'error',
      from: { path: '^(cli|services/api/(rest|octo|widget|docs|demo|http))/' },
      to: {
        path: '^services/api/seats/',
        pathNot:
          '^services/api/seats/(changes/|(perform|seat-change|bulk-change|after-commit|try-sale)[.]ts$)',
      },
    },
    {
      name: 'seats-change-in-the-engine',
      comment:
        'Only the engine locks departures and marks expired seats, because it tells the listeners of after-commit which dates it changes. ' +
        'Write a change (seats/changes) and perform it. The import locks and marks for itself, and raises the revisions of its tours.',
      severity: 'error',
      from: {
        path: '^(cli|services)/',
        pathNot: '^services/api/(seats|catalog-import)/|^services/api/docs/webhook-events[.]ts$',
      },
      to: { path: '^services/api/departures/(lock-departures|mark-expired-seats)[.]ts$' },
    },
    {
      name: 'http-imports-credentials-idempotency-and-seats',
      comment:
        'services/api/http authenticates (credentials), repeats no write (idempotency), and performs the changes of seats for all edges ' +
        '(seats, refusals). It imports no other domain folder; only problems.ts imports the types of their errors.',
      severity: 'error',
      from: { path: '^services/api/http/', pathNot: '^services/api/http/problems[.]ts$' },
      to: {
        path: `^services/api/(${folders})/`,
        pathNot: '^services/api/(credentials|idempotency|seats|refusals)/',
      },
    },
    {
      name: 'problems-names-error-types',
      comment:
        'The table of problems may name every *.errors.ts, by `import type`. It decides statuses, it calls nobody.',
      severity: 'error',
      from: { path: '^services/api/http/problems[.]ts$' },
      to: {
        path: `^services/api/(${folders})/`,
        pathNot: '^services/api/[^/]+/[^/]+[.]errors[.]ts$',
      },
    },
    {
      name: 'problems-imports-types-only',
      comment: 'Write `import type`: the table of problems must load no domain folder.',
      severity: 'error',
      from: { path: '^services/api/http/problems[.]ts$' },
      to: { path: `^services/api/(${folders})/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'domain-imports-no-http',
      comment:
        'A use case serves the terminal too: it knows no request, no status, no header. Only controllers and routers do, and ' +
        'docs, which describes them.',
      severity: 'error',
      from: {
        path: `^services/api/(${folders})/`,
        pathNot: [EDGE, '^services/api/(rest|docs)/'],
      },
      to: { path: '^services/api/(http|generated)/' },
    },
    {
      name: 'transport-stays-at-the-edge',
      comment:
        'Only controllers, routers, the http folders and app.ts know express or tsoa. Translate there, and give ' +
        'the use case plain values.',
      severity: 'error',
      from: {
        path: '^(services|cli)/',
        pathNot: [
          EDGE,
          '^services/api/(rest|http)/',
          '^services/api/app[.]ts$',
          '^services/webhook-queue/monitor/http/',
          '^services/platform/http/',
        ],
      },
      to: { path: 'node_modules/(@types/)?(express|express-serve-static-core|@tsoa|helmet)(/|$)' },
    },
    {
      name: 'controllers-hold-no-sql',
      comment:
        'A controller translates and decides nothing. Call a use case; if it does not exist, it is the file to write.',
      severity: 'error',
      from: { path: EDGE },
      to: { path: ['node_modules/(knex|pg)(/|$)', '[.]repository[.]ts$'] },
    },
    {
      name: 'edges-begin-no-transaction',
      comment:
        'A write of a route runs in writeChecked (http/write-request.ts) or is a sale: both lock the API key and the tenant and check ' +
        'them in the transaction. A transaction of your own would commit after a revocation has returned.',
      severity: 'error',
      from: { path: `^services/api/.*${EDGE}` },
      to: { path: '^services/platform/database', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-database-opens-knex',
      comment:
        'Connections are opened by platform/database/database.ts and connect.ts alone, where the parsers and time-outs are set. Take a Db or a Trx; ' +
        '`import type` of knex is fine. platform/database/transaction.ts gives Knex a connection of a pool and opens none.',
      severity: 'error',
      from: {
        path: '^(services|cli|test)/',
        pathNot: [
          '^services/platform/(database/(database|connect|transaction)[.]ts$|embedded-postgres)',
          '^test/platform/',
        ],
      },
      to: { path: 'node_modules/(knex|pg)(/|$)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-engine-opens-the-database',
      comment:
        "A verb declares what it needs (cli/engine/command.ts): with `needs: 'database-on-demand'` its terminal has withDatabase.",
      severity: 'error',
      from: { path: '^cli/commands/' },
      to: { path: '^cli/engine/open-database[.]ts$' },
    },
    {
      name: 'commands-stay-in-cli',
      comment: 'Only the terminal parses a command line. Take plain values.',
      severity: 'error',
      from: { path: '^services/' },
      to: { path: 'node_modules/(commander|@inquirer)(/|$)' },
    },
    {
      name: 'prompts-in-one-file',
      comment:
        'Questions are asked in cli/terminal/prompts.ts alone, which knows when there is nobody to ask.',
      severity: 'error',
      from: { pathNot: '^cli/terminal/(prompts|inquirer)[.]ts$' },
      to: { path: '^cli/terminal/inquirer[.]ts$|node_modules/@inquirer(/|$)' },
    },
    {
      name: 'no-utility-folders',
      comment:
        'This name does not describe the contents. Use the noun or the verb as its name, in its domain folder.',
      severity: 'error',
      from: {},
      to: { path: '/(util|utils|helper|helpers|common|misc|lib|shared)([.]ts$|/)', pathNot: 'node_modules/' },
    },
    {
      name: 'no-dev-dependency-in-production',
      comment:
        'The image is installed without devDependencies: this import would fail there. Move the package, or the import.',
      severity: 'error',
      from: { path: '^(services|cli)/', pathNot: '^services/api/docs/generate/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'generators-run-at-build-time',
      comment:
        'services/api/docs/generate runs in `npm run generate` and may use devDependencies. Import the file that it writes ' +
        'into services/api/generated, or move what both need to services/api/docs.',
      severity: 'error',
      from: { path: '^(services|cli)/', pathNot: '^services/api/docs/generate/' },
      to: { path: '^services/api/docs/generate/' },
    },
    {
      name: 'no-undeclared-dependency',
      comment: 'This package is not in package.json: it is here only because somebody else brought it.',
      severity: 'error',
      from: { path: '^(services|cli|clients|test)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'resolvable',
      comment: 'This import leads nowhere.',
      severity: 'error',
      from: { path: '^(services|cli|clients|test)/' },
      to: { couldNotResolve: true, pathNot: '/dist/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(services/api/generated|dist|clients/typescript/dist)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
