#!/usr/bin/env node
'use strict';
const { existsSync } = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '..');

// Requires a build of the present sources. An image has the build without its sources, so there is nothing to compare.
if (existsSync(path.join(root, 'build.cjs'))) require('../build.cjs').requireBuild();
process.setSourceMapsEnabled(true);
require('../dist/cli/main.js').main(root);
