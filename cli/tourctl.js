#!/usr/bin/env node
'use strict';
const { existsSync } = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '..');

// Requires a build of the current sources. The Docker image has the build without the sources, so it has nothing to compare.
if (existsSync(path.join(root, 'build.cjs'))) require('../build.cjs').requireBuild();
require('../dist/cli/main.js').main(root);
