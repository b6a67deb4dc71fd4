import { existsSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { selectAuditEntries } from '../../../services/api/audit/audit.repository';
import {
  DEMO_TENANT,
  type DemoCredentials,
  extendDemo,
  lockPlanting,
  plantDemo,
  reissueDemoCredentials,
} from '../../../services/api/demo/plant-demo';
import { makeDirectory } from '../../../services/platform/make-directory';
import type { Context } from '../../engine/context';
import { properties } from '../../terminal/table';

function demoFile(dataDir: string): string {
  return path.join(dataDir, 'demo.json');
}

/** Reads the demo's stored credentials; undefined if the file is missing or unreadable. */
export function readDemoFile(dataDir: string): DemoCredentials | undefined {
  const file = demoFile(dataDir);
  if (!existsSync(file)) return undefined;
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Partial<DemoCredentials>;
    const whole = [kept.tenant, kept.api_key, kept.widget_token].every((value) => typeof value === 'string');
    return whole ? (kept as DemoCredentials) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the file atomically with mode 0600. */
export async function writeDemoFile(dataDir: string, demo: DemoCredentials): Promise<void> {
  makeDirectory(dataDir);
  const draft = `${demoFile(dataDir)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, demoFile(dataDir));
}

const ACTION = 'demo.plant';

/**
 * Plants the demo in a database that never had it, and keeps its credentials in DATA_DIR. Later adds departures, and issues new
 * credentials where their file is lost. For `seed` and for `up`.
 */
export async function plantDemoFor({ audited, config, secrets }: Context): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const { keyPepper } = await secrets('keyPepper');
  await audited({ action: ACTION }, async (trx, note) => {
    await lockPlanting(trx);
    const [earlier] = await selectAuditEntries(trx, { action: ACTION, limit: 1 });
    if (earlier) {
      const added = await extendDemo(trx, today);
      const issued = readDemoFile(config.dataDir) ? undefined : await reissueDemoCredentials(trx, keyPepper);
      note(
        null,
        added > 0 || issued ? { today, departures_added: added, credentials_issued: !!issued } : null,
      );
      if (issued) await writeDemoFile(config.dataDir, issued);
      return;
    }
    const planted = await plantDemo(trx, today, keyPepper);
    note(null, { tenant: planted.tenant, today });
    // Before COMMIT: a secret that could not be kept was never issued.
    await writeDemoFile(config.dataDir, planted);
  });
}

export async function seedCommand(context: Context): Promise<void> {
  await plantDemoFor(context);
  const document = { tenant: DEMO_TENANT, credentials: path.join(context.config.dataDir, 'demo.json') };
  context.output.answer(document, () => properties(document));
}
