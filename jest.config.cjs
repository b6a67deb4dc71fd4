const { COMPILER_OPTIONS } = require('./build.cjs');

/**
 * Suites of `npm run test:long`: they need several services, a PostgreSQL server of their own or a browser, or take about ten seconds or
 * more. The rest, `npm test`, takes less than four minutes on a machine with two cores.
 */
const LONG = [
  '/test/(chaos|containers|element/browser|fuzz|model|money|octo/truth|pages|plans|servers|stack|widget/browser)/.*[.]test[.]ts$',
  '/test/(unit/(demo-catalog|demo-flagship|load-shedding)|supply-chain/(api-changes|audit))[.]test[.]ts$',
  '/test/api/(after-commit|availability-instances|booking-kills|cached-languages|catalog-copy|change-race|closing-times)[.]test[.]ts$',
  '/test/api/(currency-change|demo-sales|departure-cancelled-race|find-tours)[.]test[.]ts$',
  '/test/api/(exact-authorization|instances|isolation-by-credential|isolation-timing|price-from|change-queue)[.]test[.]ts$',
  '/test/api/(shared-answers|slow-clients|start-time-races|store-waits|stored-answers|updated-since|writes-in-flight)[.]test[.]ts$',
  '/test/backup/(in-place|places|refused|restore|restore-languages|restore-to-a-time|restore-under-patroni)[.]test[.]ts$',
  '/test/catalog/(categories|cut-json|import-events|import-pipe|import-raced|interrupt-import|start-times|unchanged-entries)[.]test[.]ts$',
  '/test/client/(package|proxy|proxy-(cases|cost|forgeries|isolation|visitors)|retries)[.]test[.]ts$',
  '/test/cli/(audited-verbs|booking-stats|completion|database-rules|departure-events|entry|erasure-dump|import-question|import-safeguards|lost-database|obeyed-changes)[.]test[.]ts$',
  '/test/cli/(changed-seats|drained-output|onboard-terminal|party|plant-demo|up-welcome|widget-doctor)[.]test[.]ts$',
  '/test/docs/(code-blocks|guide-\\w+|node-tenant|openapi-rules|own-postgresql|pages-in-browser|sql)[.]test[.]ts$',
  '/test/octo/(booking-races|limits|long-availability|long-list|notifications|stored-answers|stored-bookings)[.]test[.]ts$',
  '/test/platform/(broken-log|build|database-tls|database-away-at-start|database-roles|database-too-old|embedded-postgres[\\w-]*|env-file|full-disk)[.]test[.]ts$',
  '/test/platform/(history-bounds|make-directory|secret-search|slow-readers|store-drivers|store-forms|store-outage|upgrade)[.]test[.]ts$',
  '/test/webhook-queue/(breaker|delivery-stats|fairness|history|lost-worker|monitor-http-live|monitor-in-browser)[.]test[.]ts$',
];

/** Real PostgreSQL (embedded): one temporary server for a run, one cloned database for a test file. */
module.exports = {
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: LONG,
  testTimeout: 60_000,
  // Twice the cores of a small machine, because many tests wait for a time limit. All of them took 214 s on two cores.
  maxWorkers: 4,
  // Each worker frees 300 to 490 MB when it ends. Four of them can take longer than Jest's 500 ms on two cores, and Jest then warns of a leak.
  workerGracefulExitTimeout: 10_000,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  transform: {
    '^.+\\.ts$': ['@swc/jest', { ...COMPILER_OPTIONS, sourceMaps: 'inline' }],
  },
};
