const { testPathIgnorePatterns, ...rest } = require('./jest.config.cjs');

/** The suites that `npm test` leaves out, in their short form; the chaos commands run the long one. They start services of their own. */
module.exports = { ...rest, testMatch: ['**/*.long.test.ts'], maxWorkers: 2 };
