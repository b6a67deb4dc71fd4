#!/usr/bin/env node
'use strict';
const { existsSync } = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '..');

if (existsSync(path.join(__dirname, 'main.ts'))) {
  // tsx looks for tsconfig.json in the working directory, which may be any.
  process.env.TSX_TSCONFIG_PATH ??= path.join(root, 'tsconfig.json');
  require('tsx/cjs');
  require('./main.ts').main(root);
} else {
  require('../dist/cli/main.js').main(root);
}
