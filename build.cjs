/**
 * Compiles services/ and cli/ to dist/, bundles the booking element and the questions of the terminal, renders the pages of the documentation, and copies the files that the product reads at run time.
 *   node build.cjs             builds (`npm run build`)
 *   node build.cjs --install   builds if the compiler is installed (`prepare`)
 *   node build.cjs --if-stale  builds if the sources changed (before tests)
 *   node build.cjs --check     refuses a missing build, replaces a stale one (`npm run api`, `npm run webhook-queue`)
 * The compiler and its options are those of the tests (jest.config.cjs). `npm run typecheck` checks the types.
 */
'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const COMPILER_OPTIONS = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
    transform: { legacyDecorator: true },
    keepClassNames: true,
  },
  // Native import() stays native, so that ESM-only packages load.
  module: { type: 'commonjs', ignoreDynamic: true },
};

const DIST = path.join(__dirname, 'dist');
const SOURCES = ['services', 'cli', 'migrations', 'seeds'];
/** The pages that RENDER makes from OPENAPI and GUIDE. They are beside openapi.json, and are not in git. */
const PAGES = ['guide.json', 'reference.html', 'openapi.d.ts'].map(
  (name) => `services/api/generated/${name}`,
);
const OPENAPI = 'services/api/generated/openapi.json';
/** The files of the guide, in the order of its pages. */
const GUIDE = ['sell-on-your-page', 'proxy', 'first-booking', 'selling', 'webhooks', 'widget', 'octo'].map(
  (name) => `docs/guide/${name}.md`,
);
const CLIENT = 'clients/typescript';
/** The types of the API (openapi.d.ts) as a source of the client package. This file is not in git either. */
const CLIENT_TYPES = `${CLIENT}/src/openapi.ts`;
/** The sources of the element that books in a browser, and their bundler. */
const ELEMENT = 'clients/booking-element';
const BUNDLER = `${ELEMENT}/bundle.cjs`;
/** Sources that the clients share, with their copies: each client is published alone. The copies are not in git either. */
const SHARED = {
  'services/api/parties/party-rules.ts': [
    `${CLIENT}/src/proxy/party-rules.ts`,
    `${ELEMENT}/src/party-rules.ts`,
  ],
  'services/platform/forms/contact-forms.ts': [`${ELEMENT}/src/contact-forms.ts`],
};
/** The file that the build bundles with the packages that it imports. */
const BUNDLED = 'cli/terminal/inquirer.ts';
const RENDER = 'services/api/docs/generate/render-pages.js';
/**
 * The newest version of the element. The file is not in git until its release (docs/adr/0057-booking-element.md).
 * @rule which version of the booking element the build makes: test/widget/element.test.ts
 */
const ELEMENT_SCRIPT = 'services/api/widget/assets/booking.v1.js';
/** The files of SOURCES and ELEMENT that the build writes. */
const BUILT = [...PAGES, ELEMENT_SCRIPT, ...Object.values(SHARED).flat()];
/** A file in dist/ with the list of the sources that were built. */
const STAMP = 'sources.txt';

/** Builds into a directory beside dist/ and renames it, so that dist/ never mixes two builds. */
function build() {
  const { transformSync } = require('@swc/core');
  const sources = describeSources();
  const target = `${DIST}.${process.pid}`;
  fs.rmSync(target, { recursive: true, force: true });
  try {
    for (const source of SOURCES.flatMap(listFiles)) {
      const output = path.join(target, source);
      fs.mkdirSync(path.dirname(output), { recursive: true });
      if (source === BUNDLED) bundlePackages(source, output.replace(/ts$/, 'js'));
      else if (/(?<![.]d)[.]ts$/.test(source)) compile(transformSync, source, output.replace(/ts$/, 'js'));
      else fs.copyFileSync(path.join(__dirname, source), output);
    }
    renderPages(target);
    copyShared();
    bundleElement(path.join(target, ELEMENT_SCRIPT));
    fs.writeFileSync(path.join(target, STAMP), sources);
    replaceDist(target);
  } finally {
    fs.rmSync(target, { recursive: true, force: true });
  }
}

function compile(transformSync, source, output) {
  const filename = path.join(__dirname, source);
  const text = fs.readFileSync(filename, 'utf8');
  const { code, map } = transformSync(text, {
    ...COMPILER_OPTIONS,
    module: { ...COMPILER_OPTIONS.module, lazy: lazyImports(source, text) },
    swcrc: false,
    filename,
    sourceFileName: path.relative(path.dirname(output), filename),
    sourceMaps: true,
    inlineSourcesContent: false,
  });
  fs.writeFileSync(output, `${code}//# sourceMappingURL=${path.basename(output)}.map\n`);
  fs.writeFileSync(`${output}.map`, map);
}

/** Compiles a source file and the packages that it imports into one file. */
function bundlePackages(source, output) {
  require('esbuild').buildSync({
    entryPoints: [path.join(__dirname, source)],
    outfile: output,
    bundle: true,
    platform: 'node',
    target: 'node20',
    // A start reads the file: a third of the bytes is 2 ms less.
    minify: true,
    logLevel: 'warning',
  });
}

/**
 * Returns the imports of a file that are loaded at their first use: those of the commands. A file of commands has all verbs of its noun, and a
 * command line runs one of them. The services load all their files at the start, so that no request waits for one.
 */
function lazyImports(source, text) {
  if (!source.startsWith(`cli${path.sep}`)) return [];
  return [...text.matchAll(/ from '([^']+)';/g)].map(([, specifier]) => specifier);
}

function copyShared() {
  for (const [source, copies] of Object.entries(SHARED))
    for (const copy of copies) copyToSources(path.join(__dirname, source), copy);
}

/** Bundles the booking element with its library into one module, into the build and into the sources, where tests read it. */
function bundleElement(output) {
  execFileSync(process.execPath, [BUNDLER, output], { cwd: __dirname, stdio: 'inherit' });
  copyToSources(output, ELEMENT_SCRIPT);
}

/** Renders the pages into the build and into the sources, where tests read them. */
function renderPages(target) {
  const render = path.join(target, RENDER);
  if (!fs.existsSync(render)) return;
  const folder = path.join(target, path.dirname(PAGES[0]));
  execFileSync(process.execPath, [render, OPENAPI, folder, ...GUIDE], { cwd: __dirname, stdio: 'inherit' });
  for (const page of PAGES) copyToSources(path.join(target, page), page);
  copyToSources(path.join(folder, 'openapi.d.ts'), CLIENT_TYPES);
}

/**
 * Copies a file to the sources by a rename, so that a test never reads an incomplete file. Does nothing if the folder is missing,
 * as in the Docker image.
 */
function copyToSources(rendered, name) {
  const place = path.join(__dirname, name);
  if (!fs.existsSync(path.dirname(place))) return;
  const copy = `${place}.${process.pid}`;
  fs.copyFileSync(rendered, copy);
  fs.renameSync(copy, place);
}

/**
 * Moves `target` to dist/. Tries again if another build has moved its output to dist/ meanwhile, which happens only to builds that run
 * without the lock.
 */
function replaceDist(target) {
  const previous = `${target}.previous`;
  for (;;) {
    try {
      fs.renameSync(DIST, previous);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    fs.rmSync(previous, { recursive: true, force: true });
    try {
      return fs.renameSync(target, DIST);
    } catch (error) {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    }
  }
}

/** Ends the process if there is no build. Replaces a stale build, or warns if that fails. */
function requireBuild() {
  if (isFresh()) return;
  try {
    runAlone(replaceStaleBuild);
  } catch {
    if (readStamp() !== undefined)
      process.stderr.write('The build is older than the sources: run npm run build.\n');
  }
  if (readStamp() === undefined)
    refuse('There is no build. Run npm ci without --ignore-scripts and --omit=dev, or npm run build.');
}

function replaceStaleBuild() {
  if (readStamp() === undefined || isFresh()) return;
  build();
  process.stderr.write('The build was older than the sources: built again.\n');
}

/** Returns whether dist/ was built from the sources as they are now. */
function isFresh() {
  return readStamp() === describeSources();
}

/** Returns the list of the sources that were built. Undefined: there is no build, or another process is replacing it. */
function readStamp() {
  try {
    return fs.readFileSync(path.join(DIST, STAMP), 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Contains the process id of the process that builds. */
const LOCK = `${DIST}.lock`;
/** A build takes seconds. An older lock belongs to a killed process, even if another process now has the process id in the lock. */
const LOCK_MAX_MS = 120_000;
const LOCK_POLL_MS = 50;

/**
 * Runs `work` while no other process builds, because files of dist/ are missing while a build replaces them. Waits for a running build, so
 * `work` checks again whether a build is needed.
 */
function runAlone(work) {
  while (!takeLock()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
  try {
    work();
  } finally {
    fs.rmSync(LOCK, { force: true });
  }
}

/** Returns whether this process has the lock now. Removes a lock whose process has ended. */
function takeLock() {
  try {
    fs.writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (isLockLeft()) fs.rmSync(LOCK, { force: true });
  return false;
}

/** Returns whether the lock is left from a process that has ended. */
function isLockLeft() {
  try {
    if (Date.now() - fs.statSync(LOCK).mtimeMs > LOCK_MAX_MS) return true;
    const owner = Number(fs.readFileSync(LOCK, 'utf8'));
    // An empty lock file belongs to a process that has just created the file and will write its id.
    if (owner > 0) process.kill(owner, 0);
    return false;
  } catch (error) {
    // ENOENT: the owner has released the lock. ESRCH: there is no such process.
    return error.code === 'ESRCH';
  }
}

/** Lists names, sizes and modification times. Every start of a checkout does it: 10 ms of processor time for 900 files. */
function describeSources() {
  const files = ['build.cjs', OPENAPI, ...GUIDE, ...[...SOURCES, ELEMENT].flatMap(listFiles)];
  return files.map(describeFile).join('\n');
}

function describeFile(file) {
  const { size, mtimeMs } = fs.statSync(`${__dirname}/${file}`, { throwIfNoEntry: false }) ?? {};
  return `${file} ${size} ${mtimeMs}`;
}

function listFiles(folder) {
  return fs.readdirSync(`${__dirname}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return listFiles(file);
    return BUILT.some((built) => file.startsWith(built)) ? [] : file;
  });
}

function refuse(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(1);
}

function main(option) {
  if (option === '--check') return requireBuild();
  if (option === '--if-stale' && isFresh()) return;
  try {
    require.resolve('@swc/core');
  } catch {
    if (option === '--install') return;
    refuse('The compiler is not installed. Run npm ci without --omit=dev.');
  }
  runAlone(() => {
    if (option !== '--if-stale' || !isFresh()) build();
  });
}

module.exports = { COMPILER_OPTIONS, ELEMENT_SCRIPT, SOURCES, requireBuild };

if (require.main === module) main(process.argv[2]);
