'use strict';
const { TestEnvironment } = require('jest-environment-node');

/** The only environment of a Jest worker. */
let only;

/**
 * Gives all test files of a worker one global object, because the modules that runtime.cjs keeps belong to one global object. After
 * each file, removes new globals and restores the environment variables.
 */
module.exports = class OneContextEnvironment extends TestEnvironment {
  constructor(...options) {
    if (only) return only;
    super(...options);
    only = this;
    this.globals = new Set(Reflect.ownKeys(this.global));
    this.variables = { ...this.global.process.env };
    this.exit = this.global.process.exit;
  }

  async teardown() {
    const { process } = this.global;
    // Jest keeps the tests of a file, and all that they refer to, under a symbol of its own.
    for (const key of Reflect.ownKeys(this.global))
      if (!this.globals.has(key)) Reflect.deleteProperty(this.global, key);
    this._globalProxy.leftovers = [];
    for (const name of Object.keys(process.env)) if (!(name in this.variables)) delete process.env[name];
    Object.assign(process.env, this.variables);
    // Restores process.exit, because Jest wraps it for each test file.
    process.exit = this.exit;
  }
};
