import { defineConfig } from 'eslint/config';
import jest from 'eslint-plugin-jest';
import tseslint from 'typescript-eslint';

const readsEnvironment = {
  object: 'process',
  property: 'env',
  message: 'Only services/platform/config/config.ts reads the environment: take what you need from Config.',
};
const exportsByDefault = {
  selector: 'ExportDefaultDeclaration',
  message: 'Export by name, so that a thing is called the same everywhere.',
};

const spreadsLiteral = {
  selector:
    'ObjectExpression > SpreadElement > ObjectExpression, :matches(ArrayExpression, CallExpression) > SpreadElement > ArrayExpression',
  message: 'Write the entries themselves, one a line.',
};

const writesUncleaned = {
  selector:
    "MemberExpression[object.name='io'][property.name=/^std(out|err)$/], ObjectPattern > Property[key.name=/^std(out|err)$/]",
  message:
    'Only cli/terminal/output.ts writes, as it cleans what a terminal would obey: use its answer, pour, note or warn.',
};

/** Switches off the rules about `any` for files that read rows of the driver or JSON documents: these files assert the types themselves. */
const shapeless = {
  '@typescript-eslint/no-unsafe-argument': 'off',
  '@typescript-eslint/no-unsafe-assignment': 'off',
  '@typescript-eslint/no-unsafe-call': 'off',
  '@typescript-eslint/no-unsafe-member-access': 'off',
  '@typescript-eslint/no-unsafe-return': 'off',
};

const BROWSER_GLOBALS = Object.fromEntries(
  [
    'AbortController',
    'CSS',
    'CSSStyleSheet',
    'CustomEvent',
    'DOMParser',
    'Document',
    'console',
    'Element',
    'EventSource',
    'FormData',
    'HTMLElement',
    'HTMLScriptElement',
    'IntersectionObserver',
    'ResizeObserver',
    'URL',
    'URLSearchParams',
    'addEventListener',
    'clearTimeout',
    'customElements',
    'document',
    'fetch',
    'getComputedStyle',
    'getSelection',
    'history',
    'localStorage',
    'location',
    'matchMedia',
    'navigator',
    'scrollBy',
    'self',
    'setTimeout',
    'window',
  ].map((name) => [name, 'readonly']),
);

export default defineConfig(
  {
    ignores: [
      '**/dist/',
      'dist.*/',
      'coverage/',
      '.data/',
      'services/api/generated/',
      'clients/typescript/src/openapi.ts',
      'clients/*/src/**/party-rules.ts',
      'clients/booking-element/src/contact-forms.ts',
      'services/api/widget/assets/booking.v*.js',
      'docs/examples/',
    ],
  },
  { rules: { 'no-nested-ternary': 'error' } },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Knex's builders are thenables, not promises: a forgotten await inside a transaction would pass unseen.
      '@typescript-eslint/no-floating-promises': ['error', { checkThenables: true }],
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // Allows async without await: it turns a thrown error into a rejection, and keeps the signature of an interface.
      '@typescript-eslint/require-await': 'off',
      // Off, because our interfaces are objects of functions: no method uses `this`.
      '@typescript-eslint/unbound-method': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-restricted-properties': ['error', readsEnvironment],
      'no-restricted-syntax': ['error', exportsByDefault, spreadsLiteral],
      complexity: ['error', 12],
      'max-depth': ['error', 3],
      'max-params': ['error', 5],
      'max-lines': ['error', { max: 400, skipBlankLines: true }],
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['services/platform/config/config.ts', 'cli/main.ts', 'test/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // Rows come from the driver as `any`. A row type in the same file gives them their type.
    files: ['**/*.repository.ts', 'services/platform/migrate/migrate.ts'],
    rules: {
      ...shapeless,
      // Knex's nested conditions are callbacks that return the builder, which is a thenable.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
    },
  },
  {
    // Scripts that browsers run.
    files: ['services/**/assets/*.js'],
    languageOptions: { sourceType: 'script', globals: BROWSER_GLOBALS },
    rules: {
      eqeqeq: 'error',
      'no-undef': 'error',
      'no-unused-vars': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  { files: ['cli/terminal/output.ts'], rules: { 'no-console': 'off' } },
  // The proxy of a tenant's site has no logger. It reports to the console unless the site names another place.
  { files: ['clients/typescript/src/proxy/tour-proxy.ts'], rules: { 'no-console': 'off' } },
  {
    // A command is loaded when it is called, so that --help does not wait for all of them. Under Jest import() cannot load TypeScript.
    files: ['cli/**/*.ts'],
    rules: {
      '@typescript-eslint/no-require-imports': 'off',
      'no-restricted-syntax': ['error', exportsByDefault, spreadsLiteral, writesUncleaned],
    },
  },
  {
    // The demo loads the catalog import, and with it zod, only when it has tours to import; a command without a database loads no Knex, and
    // one that measures nothing loads no prom-client.
    files: [
      'services/api/demo/seed-demo.ts',
      'services/platform/database/transaction.ts',
      'services/platform/metrics.ts',
    ],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    // These files may write: prompts clean their texts, the progress bar draws only our own words and numbers, main.ts makes the streams.
    files: [
      'cli/terminal/output.ts',
      'cli/terminal/prompts.ts',
      'cli/main.ts',
      'cli/commands/catalog/progress-bar.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', exportsByDefault, spreadsLiteral] },
  },
  // A controller has one parameter for each parameter of its call.
  { files: ['**/*.controller.ts'], rules: { 'max-params': 'off' } },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      // Answers of the API and documents of the terminal are `any` on purpose. The test checks what they contain.
      ...shapeless,
    },
  },
  {
    files: ['test/**/*.test.ts'],
    extends: [jest.configs['flat/recommended']],
    rules: {
      'jest/no-disabled-tests': 'error',
      'jest/expect-expect': [
        'error',
        { assertFunctionNames: ['expect', 'expect*', '**.expect', 'fc.assert'] },
      ],
      'jest/no-standalone-expect': [
        'error',
        { additionalTestBlockFunctions: ['beforeAll', 'beforeEach', 'afterAll', 'afterEach'] },
      ],
      'jest/valid-title': ['error', { disallowedWords: ['should'] }],
    },
  },
  // Jest calls the default export of these two.
  { files: ['test/support/global-*.ts'], rules: { 'no-restricted-syntax': 'off' } },
);
