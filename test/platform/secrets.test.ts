import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../services/platform/config';
import { loadSecrets } from '../../services/platform/secrets';

let dataDir: string;
beforeEach(() => (dataDir = mkdtempSync(path.join(tmpdir(), 'secrets-'))));
afterEach(() => rmSync(dataDir, { recursive: true }));

describe('secrets', () => {
  it('are generated once into DATA_DIR, for the owner alone', async () => {
    const config = loadConfig({ DATA_DIR: dataDir });
    const first = await loadSecrets(config);
    expect(await loadSecrets(config)).toEqual(first);
    expect(statSync(path.join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
    expect(new Set(Object.values(first)).size).toBe(3);
  });

  it('are the same for two first starters at once', async () => {
    const config = loadConfig({ DATA_DIR: dataDir });
    const [one, other] = await Promise.all([loadSecrets(config), loadSecrets(config)]);
    expect(one).toEqual(other);
  });

  it('come from the environment where it has them', async () => {
    const config = loadConfig({ DATA_DIR: dataDir, CURSOR_KEY: 'c'.repeat(40) });
    expect(await loadSecrets(config)).toMatchObject({ cursorKey: 'c'.repeat(40) });
    expect(readFileSync(path.join(dataDir, 'secrets.json'), 'utf8')).not.toContain('cccc');
  });

  it('come from the environment alone beside a database of one’s own', async () => {
    const given = {
      DATABASE_URL: 'postgres://localhost/x',
      SECRETS_KEY: 's'.repeat(32),
      CURSOR_KEY: 'c'.repeat(32),
    };
    const secrets = await loadSecrets(loadConfig({ ...given, DATA_DIR: dataDir }));
    expect(secrets).toEqual({ secretsKey: 's'.repeat(32), cursorKey: 'c'.repeat(32), keyPepper: undefined });
  });
});
