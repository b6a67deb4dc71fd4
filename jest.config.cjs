const { COMPILER_OPTIONS } = require('./build.cjs');

/** Suites that need several services, a PostgreSQL server of their own, minutes, a browser or much computing: `npm run test:long`. */
const LONG = [
  '/test/(chaos|fuzz|model|plans|stack|widget/browser)/.*[.]test[.]ts$',
  '/test/docs/(guide-\\w+|node-tenant|openapi-rules|pages-in-browser)[.]test[.]ts$',
  '/test/(unit/demo-flagship|platform/(database-away-at-start|embedded-postgres[\\w-]*|full-disk|secret-search|slow-readers|store-forms)|webhook-queue/monitor-in-browser)[.]test[.]ts$',
  '/test/(backup/places|catalog/interrupt-import|cli/(entry|lost-database|terminal-guide))[.]test[.]ts$',
  '/test/api/(booking-kills|catalog-copy|change-race|exact-authorization|isolation-timing|slow-clients)[.]test[.]ts$',
];

/** Real PostgreSQL (embedded): one temporary server for a run, one cloned database for a test file. */
module.exports = {
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: LONG,
  testTimeout: 60_000,
  // One more than the cores of a small machine, because many tests wait for a time limit: 379 s with two, 313 s with three.
  maxWorkers: 3,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  transform: {
    '^.+\\.ts$': ['@swc/jest', { ...COMPILER_OPTIONS, sourceMaps: 'inline' }],
  },
};
