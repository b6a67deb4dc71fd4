'use strict';
/*
 * Loads the product and its libraries once in a Jest worker, not once in each test file. Ten files of the API took 20 s of CPU
 * instead of 32 s (means of two runs with one worker), and `npm test` runs about 250 files. A variable of a module keeps its value
 * until the worker ends. The product has no such variables except caches and metrics.
 */
const path = require('node:path');
const { default: Runtime } = require('jest-runtime');

const TESTS = path.resolve(__dirname, '../..') + path.sep;
/** Keeps the compiled schemas of the OpenAPI document and no other state. Saves 0.4 s of CPU in each test file. */
const SCHEMAS = path.join(TESTS, 'support/documented-answers.ts');

/** The loaded modules of the product and its libraries, and their source maps. Keyed by file name. */
const shared = { modules: new Map(), sourceMaps: new Map() };
/** The runtime of the test file that runs now. */
let current;

exports.__esModule = true;
exports.default = class SharedRuntime extends Runtime {
  constructor(...options) {
    super(...options);
    current = this;
    const { watch, watchAll } = options[7];
    // A source may change between two runs.
    this.shares = !watch && !watchAll;
    for (const [file, module] of shared.modules) this.registries.moduleRegistry.set(file, module);
    for (const [file, map] of shared.sourceMaps) this.getSourceMaps().set(file, map);
  }

  /**
   * Loads a module that a shared module requires later. Uses the runtime of the current test file, because the runtime that loaded
   * the shared module has ended.
   */
  requireModuleOrMock(from, name) {
    return this === current ? super.requireModuleOrMock(from, name) : current.requireModuleOrMock(from, name);
  }

  teardown() {
    if (this.shares) {
      keep(this.registries.moduleRegistry, shared.modules);
      keep(this.getSourceMaps(), shared.sourceMaps);
    }
    super.teardown();
  }
};

function keep(loaded, kept) {
  for (const [file, value] of loaded) if (!file.startsWith(TESTS) || file === SCHEMAS) kept.set(file, value);
}
