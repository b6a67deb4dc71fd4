/**
 * Bundles the booking element with its library into one module: node bundle.cjs FILE.
 * The module has at most 40 kB by gzip -9 (test/widget/element.test.ts), so the words of each language lose their keys, the style sheet its
 * spaces, and swc minifies the output of esbuild once more.
 */
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const esbuild = require('esbuild');
const { minifySync } = require('@swc/core');

const SOURCES = path.join(__dirname, 'src');

async function bundle() {
  const { outputFiles } = await esbuild.build({
    entryPoints: [path.join(SOURCES, 'element.tsx')],
    tsconfigRaw: {
      compilerOptions: { target: 'ES2022', jsx: 'react', jsxFactory: 'h', jsxFragmentFactory: 'Fragment' },
    },
    inject: [path.join(SOURCES, 'jsx.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [{ name: 'compact', setup: compact }],
  });
  return minifySync(outputFiles[0].text, {
    module: true,
    ecma: 2022,
    // Chains of expressions compress worse than statements.
    compress: { passes: 4, toplevel: true, hoist_vars: true, sequences: false, collapse_vars: false },
    mangle: { toplevel: true },
    format: { comments: false },
  }).code;
}

/** The files of src/words that are no translation. */
const NOT_PACKED = ['en.ts', 'words.ts', 'unpack.ts'];

/** @param {esbuild.PluginBuild} build */
function compact(build) {
  build.onLoad({ filter: /\.css$/ }, async ({ path: file }) => ({
    loader: 'text',
    contents: await bundleStyle(file),
  }));
  build.onLoad({ filter: /words[\\/][a-zA-Z-]+\.ts$/ }, ({ path: file }) =>
    NOT_PACKED.includes(path.basename(file)) ? undefined : { loader: 'ts', contents: packWords(file) },
  );
}

/** Joins a style sheet with those that it imports, without spaces. */
async function bundleStyle(file) {
  const { outputFiles } = await esbuild.build({
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    logLevel: 'warning',
  });
  // esbuild keeps the spaces of custom properties and of queries, and those around a slash or the sign of a product.
  return shortenNames(outputFiles[0].text.trim())
    .replaceAll(' * ', '*')
    .replace(/(?<=[:,(=/]) | (?=[)<>/])/g, '');
}

/** Gives the custom properties of the style sheet names of one letter. Those of the page (--tour-accent) keep theirs. */
function shortenNames(css) {
  const names = [...new Set(css.match(/--(?!tour-)[a-z-]+/g))];
  return css.replace(/--(?!tour-)[a-z-]+/g, (name) => `--${String.fromCharCode(97 + names.indexOf(name))}`);
}

/** Replaces the words of a language by their texts in the order of the English ones. src/words/unpack.ts gives them their keys again. */
function packWords(file) {
  const { code } = esbuild.transformSync(fs.readFileSync(file, 'utf8'), { loader: 'ts', format: 'cjs' });
  const loaded = { exports: {} };
  new Function('module', code)(loaded);
  const [[name, words]] = Object.entries(loaded.exports);
  const texts = JSON.stringify(textsOf(words).join('|'));
  return `import { en } from './en.ts'; import { unpack } from './unpack.ts'; export const ${name} = unpack(en, ${texts});`;
}

function textsOf(words) {
  return Object.values(words).flatMap((value) => (typeof value === 'string' ? value : textsOf(value)));
}

async function main(output) {
  const code = await bundle();
  fs.mkdirSync(path.dirname(output), { recursive: true });
  fs.writeFileSync(output, code);
}

main(process.argv[2]);
