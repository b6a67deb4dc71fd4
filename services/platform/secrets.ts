import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from './config';

export interface Secrets {
  /** Seals webhook secrets. */
  secretsKey: string;
  /** Signs cursors and embed passes. */
  cursorKey: string;
  /** Keyed digest of API keys and widget tokens; undefined: plain SHA-256. */
  keyPepper: string | undefined;
}

/**
 * The secrets of this installation: from the environment, and what is missing beside an embedded database is generated
 * once into `<dataDir>/secrets.json` (0600). With a database of one's own they come from the environment alone.
 */
export async function loadSecrets(config: Config): Promise<Secrets> {
  const { secretsKey, cursorKey, keyPepper } = config.secrets;
  if (config.databaseUrl) return { secretsKey: secretsKey!, cursorKey: cursorKey!, keyPepper };
  const kept = await keptSecrets(path.resolve(config.dataDir));
  return {
    secretsKey: secretsKey ?? kept.secretsKey,
    cursorKey: cursorKey ?? kept.cursorKey,
    keyPepper: keyPepper ?? kept.keyPepper,
  };
}

async function keptSecrets(dataDir: string): Promise<Required<Record<keyof Secrets, string>>> {
  const file = path.join(dataDir, 'secrets.json');
  mkdirSync(dataDir, { recursive: true });
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  const fresh = () => randomBytes(32).toString('hex');
  const secrets = { secretsKey: fresh(), cursorKey: fresh(), keyPepper: fresh() };
  try {
    writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    // link() fails where the file exists, so of two first starters one wins and both read the same.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return JSON.parse(readFileSync(file, 'utf8')) as typeof secrets;
}
