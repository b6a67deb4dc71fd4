import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../services/platform/config/config';
import { loadSecrets, inspectSecrets, openSecrets } from '../../services/platform/secrets';
import { createTestDatabase, type TestDatabase } from '../support/database';

let dataDir: string;
beforeEach(() => (dataDir = mkdtempSync(path.join(tmpdir(), 'secrets-'))));
afterEach(() => rmSync(dataDir, { recursive: true }));

const ALL = ['secretsKey', 'cursorKey', 'keyPepper'] as const;
const load = (env: Record<string, string>, isNew = true) =>
  loadSecrets(loadConfig({ DATA_DIR: dataDir, ...env }), ALL, () => Promise.resolve(isNew));

/** Loads secrets for an external database. Fails if the loader asks whether the database is new. */
const loadExternal = (needed: readonly (typeof ALL)[number][]) =>
  loadSecrets(
    loadConfig({ DATABASE_URL: 'postgres://localhost/x', CURSOR_KEY: 'c'.repeat(32), DATA_DIR: dataDir }),
    needed,
    () => Promise.reject(new Error('not asked')),
  );

describe('secrets', () => {
  it('the first start generates the secrets into DATA_DIR, readable only by the owner', async () => {
    const first = await load({});
    expect(await load({}, false)).toEqual(first);
    expect(statSync(path.join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
    expect(new Set(Object.values(first)).size).toBe(3);
  });

  it('two concurrent first starts get the same secrets', async () => {
    const [one, other] = await Promise.all([load({}), load({})]);
    expect(one).toEqual(other);
  });

  it('a secret of the environment is used, and is not written to DATA_DIR', async () => {
    expect(await load({ CURSOR_KEY: 'c'.repeat(40) })).toMatchObject({ cursorKey: 'c'.repeat(40) });
    expect(readFileSync(path.join(dataDir, 'secrets.json'), 'utf8')).not.toContain('c'.repeat(40));
  });

  it('lost secrets are not generated again for a database that needs them', async () => {
    await expect(load({ CURSOR_KEY: 'c'.repeat(40) }, false)).rejects.toThrow(
      /secrets\.json is missing, .* Copy the file from where you keep it, or set SECRETS_KEY, KEY_PEPPER to the earlier values$/,
    );
    const [SECRETS_KEY, CURSOR_KEY, KEY_PEPPER] = ['s', 'c', 'p'].map((letter) => letter.repeat(32));
    const given = { SECRETS_KEY: SECRETS_KEY!, CURSOR_KEY: CURSOR_KEY!, KEY_PEPPER: KEY_PEPPER! };
    expect(await load(given, false)).toMatchObject({ keyPepper: KEY_PEPPER });
  });

  it.each(['', '{', '{"secretsKey":"short"}'])(
    'a start refuses the damaged secrets file %j in a message of one line',
    async (text) => {
      writeFileSync(path.join(dataDir, 'secrets.json'), text);
      await expect(load({})).rejects.toThrow(
        /^[^\n]*secrets\.json cannot be read or is damaged\. Copy it [^\n]*$/,
      );
    },
  );

  it('an external database takes its secrets from the environment alone, and needs no KEY_PEPPER', async () => {
    expect(await loadExternal(['cursorKey', 'keyPepper'])).toEqual({ cursorKey: 'c'.repeat(32) });
  });

  it('an external database requires SECRETS_KEY of a service that needs it', async () => {
    await expect(loadExternal(['secretsKey'])).rejects.toThrow(/^SECRETS_KEY must be set where/);
  });
});

describe('the check values of secrets', () => {
  const KEY = 'k'.repeat(32);
  const OTHER = 'o'.repeat(32);
  let database: TestDatabase;
  beforeEach(async () => (database = await createTestDatabase()));
  afterEach(() => database.drop());

  const open = (
    env: Record<string, string | undefined>,
    needed = ALL as readonly (typeof ALL)[number][],
    sealed?: boolean,
  ) =>
    openSecrets(
      database.db,
      loadConfig({ DATABASE_URL: database.url, CURSOR_KEY: KEY, DATA_DIR: dataDir, ...env }),
      needed,
      () => Promise.resolve(sealed),
    );

  it.each([
    ['another SECRETS_KEY', { SECRETS_KEY: OTHER, KEY_PEPPER: KEY }],
    ['another KEY_PEPPER', { SECRETS_KEY: KEY, KEY_PEPPER: OTHER }],
    ['a lost KEY_PEPPER', { SECRETS_KEY: KEY }],
  ])('the check of secrets refuses %s at a later start, and shows no secret', async (_, env) => {
    await open({ SECRETS_KEY: KEY, KEY_PEPPER: KEY });
    await open({ SECRETS_KEY: KEY, KEY_PEPPER: KEY });
    const error: Error = await open(env).then(
      () => Promise.reject(new Error('it was accepted')),
      (refusal: Error) => refusal,
    );
    expect(error.message).toMatch(
      /^(SECRETS_KEY|KEY_PEPPER) is not the one that this database was used with: [^\n]+$/,
    );
    expect(error.message).not.toMatch(/kkk|ooo/);
    const { rows } = await database.db.raw('select * from secret_checks');
    expect(JSON.stringify(rows)).not.toMatch(/kkk/);
  });

  it('the check of secrets refuses a wrong SECRETS_KEY, even in a service that does not use it', async () => {
    await open({ SECRETS_KEY: KEY });
    await expect(open({ SECRETS_KEY: OTHER }, ['cursorKey', 'keyPepper'])).rejects.toThrow(
      'SECRETS_KEY is not',
    );
    await open({}, ['cursorKey', 'keyPepper']);
  });

  it('the check of secrets accepts a KEY_PEPPER that is added later', async () => {
    await open({ SECRETS_KEY: KEY });
    await open({ SECRETS_KEY: KEY, KEY_PEPPER: KEY });
    await expect(open({ SECRETS_KEY: KEY, KEY_PEPPER: OTHER })).rejects.toThrow('KEY_PEPPER');
  });

  it('an older installation records the first SECRETS_KEY that opens a sealed secret', async () => {
    await database.db.raw(`insert into secret_checks (variable) values ('SECRETS_KEY'), ('KEY_PEPPER')`);
    await expect(open({ SECRETS_KEY: OTHER, KEY_PEPPER: KEY }, ALL, false)).rejects.toThrow(
      'SECRETS_KEY is not',
    );
    await expect(open({ SECRETS_KEY: KEY }, ALL, true)).rejects.toThrow('KEY_PEPPER is not');
    await open({ SECRETS_KEY: KEY, KEY_PEPPER: KEY }, ALL, true);
    await expect(open({ SECRETS_KEY: OTHER, KEY_PEPPER: KEY }, ALL, true)).rejects.toThrow(
      'SECRETS_KEY is not',
    );
  });

  it('the check of secrets refuses one of two concurrent first starts with different keys', async () => {
    const both = await Promise.allSettled([open({ SECRETS_KEY: KEY }), open({ SECRETS_KEY: OTHER })]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('an inspection of the secrets creates no check value', async () => {
    const config = loadConfig({ DATABASE_URL: database.url, SECRETS_KEY: KEY });
    expect(await inspectSecrets(database.db, config, () => Promise.resolve(true))).toEqual({});
    expect(await database.db('secret_checks').select()).toEqual([]);
  });

  it('a start generates secrets for a new embedded database, and never again', async () => {
    const config = loadConfig({ DATA_DIR: dataDir });
    const first = await openSecrets(database.db, config, ALL);
    expect(await openSecrets(database.db, config, ALL)).toEqual(first);
    rmSync(path.join(dataDir, 'secrets.json'));
    await expect(openSecrets(database.db, config, ALL)).rejects.toThrow('secrets.json is missing');
  });
});
