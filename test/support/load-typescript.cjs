'use strict';
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { transformSync } = require('@swc/core');
const { COMPILER_OPTIONS } = require('../../build.cjs');

/** Loads TypeScript in a process that a test starts (`--require`): 0.3 s of CPU where tsx takes 0.65 s. */
Module._extensions['.ts'] = (module, filename) => {
  const options = { ...COMPILER_OPTIONS, swcrc: false, filename, sourceMaps: 'inline' };
  module._compile(transformSync(readFileSync(filename, 'utf8'), options).code, filename);
};
