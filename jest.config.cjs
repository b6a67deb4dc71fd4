const { COMPILER_OPTIONS } = require('./build.cjs');

/**
 * Real PostgreSQL (embedded): one temporary server for a run, one cloned database for a test file.
 * `npm run test:long` runs the suites named `*.long.test.ts`: they need several services, a PostgreSQL server of their own or a browser, or take
 * about ten seconds or more. The rest, `npm test`, takes less than four minutes on a machine with two cores.
 */
module.exports = {
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['[.]long[.]test[.]ts$'],
  testTimeout: 60_000,
  // Twice the cores of a small machine, because many tests wait for a time limit. All of them took 214 s on two quiet cores.
  maxWorkers: 4,
  // Each worker frees 300 to 490 MB when it ends. Four of them can take longer than Jest's 500 ms on two cores, and Jest then warns of a leak.
  workerGracefulExitTimeout: 10_000,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  transform: {
    '^.+\\.ts$': ['@swc/jest', { ...COMPILER_OPTIONS, sourceMaps: 'inline' }],
  },
};
