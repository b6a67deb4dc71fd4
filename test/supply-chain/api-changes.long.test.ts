import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { OpenApiDocument, OpenApiOperation, Schema } from '../../services/api/docs/openapi-document';
import { useTemporaryFolder } from '../support/temporary-folder';
import { breakingChanges, compatibleLine } from './api-changes';

const OPENAPI = 'services/api/generated/openapi.json';
const ROOT = path.resolve(__dirname, '../..');
const USED = ['/api/tenant/catalog', '/api/gateway/tours/{id_or_slug}/hold', '/api/tenant/bookings'];
const folder = useTemporaryFolder();

/** Reads the OpenAPI document, and keeps three of its paths, because a comparison of all paths takes a second. */
function readDocument(): OpenApiDocument {
  const document = JSON.parse(readFileSync(path.join(ROOT, OPENAPI), 'utf8')) as OpenApiDocument;
  const paths = Object.fromEntries(USED.map((used) => [used, document.paths[used]!]));
  return { ...document, paths };
}

const hold = (document: OpenApiDocument): Schema => document.components.schemas.HoldBody!;
const holdAnswer = (document: OpenApiDocument): Schema => document.components.schemas.HoldAnswer!;
const catalog = (document: OpenApiDocument): OpenApiOperation => document.paths['/api/tenant/catalog']!.get!;

type Change = [string, (document: OpenApiDocument) => unknown];

const BREAKING: Change[] = [
  ['a removed path', (document) => delete document.paths['/api/tenant/catalog']],
  ['a removed success', (document) => delete catalog(document).responses['200']],
  ['a removed parameter', (document) => catalog(document).parameters.pop()],
  ['a parameter that becomes required', (document) => (catalog(document).parameters[0]!.required = true)],
  ['a removed value of a parameter', (document) => statusOf(document).enum!.pop()],
  ['a removed field of an answer', (document) => delete holdAnswer(document).properties!.quantity],
  [
    'another type of a field of an answer',
    (document) => (holdAnswer(document).properties!.quantity!.type = 'string'),
  ],
  [
    'a field of an answer that may be null',
    (document) => (holdAnswer(document).properties!.quantity!.nullable = true),
  ],
  ['a field of a request that becomes required', (document) => hold(document).required!.push('adults')],
  ['a removed field of a request', (document) => delete hold(document).properties!.adults],
  ['a lower maximum of a request', (document) => (hold(document).properties!.quantity!.maximum = 10)],
];

const COMPATIBLE: Change[] = [
  ['an equal document', () => undefined],
  ['another description', (document) => (catalog(document).description = 'Another text.')],
  ['a new path', (document) => (document.paths['/api/new'] = document.paths['/api/tenant/catalog']!)],
  ['a new field of an answer', (document) => (holdAnswer(document).properties!.extra = { type: 'string' })],
  [
    'a new optional field of a request',
    (document) => (hold(document).properties!.extra = { type: 'string' }),
  ],
];

function statusOf(document: OpenApiDocument): Schema {
  return document.paths['/api/tenant/bookings']!.get!.parameters.find(({ name }) => name === 'status')!
    .schema;
}

describe('a change of the OpenAPI document', () => {
  it.each(BREAKING)('%s breaks a client', (_name, change) => {
    const document = readDocument();
    change(document);
    expect(breakingChanges(readDocument(), document)).not.toEqual([]);
  });

  it.each(COMPATIBLE)('%s breaks no client', (_name, change) => {
    const document = readDocument();
    change(document);
    expect(breakingChanges(readDocument(), document)).toEqual([]);
  });

  it.each([
    ['0.1.0', '0.1'],
    ['0.2.7', '0.2'],
    ['1.4.2', '1'],
  ])('version %s keeps the promises of line %s', (version, line) => {
    expect(compatibleLine(version)).toBe(line);
  });
});

describe('npm run check:api', () => {
  /**
   * Creates a repository with one release, v0.1.0, and applies the change to its OpenAPI document. Runs the check there at the given
   * version.
   */
  function check(version: string, change: Change[1]) {
    const repository = path.join(folder, `${version}-${change.name}`);
    mkdirSync(path.join(repository, path.dirname(OPENAPI)), { recursive: true });
    const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, stdio: 'pipe' });
    git('init', '-q');
    writeFileSync(path.join(repository, OPENAPI), JSON.stringify(readDocument()));
    git('add', '.');
    git('-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '-qm', 'release');
    git('tag', 'v0.1.0');
    const document = readDocument();
    change(document);
    writeFileSync(path.join(repository, OPENAPI), JSON.stringify(document));
    writeFileSync(path.join(repository, 'package.json'), JSON.stringify({ version }));
    const script = path.join(__dirname, 'api-changes.ts');
    const tsx = require.resolve('tsx');
    const { status, stdout } = spawnSync(process.execPath, ['--import', tsx, script], {
      cwd: repository,
      encoding: 'utf8',
    });
    return { status, stdout };
  }

  const removePath = (document: OpenApiDocument) => delete document.paths['/api/tenant/catalog'];
  const changeNothing = () => undefined;

  it('npm run check:api fails for a breaking change under the version of the release, and names it', () => {
    expect(check('0.1.1', removePath)).toEqual({
      status: 1,
      stdout: expect.stringContaining('remove paths./api/tenant/catalog'),
    });
  });

  it('npm run check:api allows a breaking change under the next minor version before 1.0', () => {
    expect(check('0.2.0', removePath)).toMatchObject({ status: 0 });
  });

  it('npm run check:api succeeds where nothing changed since the release', () => {
    expect(check('0.1.1', changeNothing)).toMatchObject({ status: 0 });
  });
});
