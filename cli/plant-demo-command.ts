import { type DemoCredentials, plantDemo } from '../services/api/demo/plant-demo';
import type { Context } from './context';
import { readDemoFile, writeDemoFile } from './demo-file';

/** Plants the demo or moves it forward, and keeps its credentials in DATA_DIR; for `seed` and for `up`. */
export async function plantDemoFor({ audited, config, secrets }: Context): Promise<DemoCredentials> {
  const today = new Date().toISOString().slice(0, 10);
  const kept = readDemoFile(config.dataDir);
  return audited({ action: 'demo.plant' }, async (trx, note) => {
    const planted = await plantDemo(trx, today, secrets.keyPepper, kept);
    note(null, { tenant: planted.tenant, today });
    // Before COMMIT: a secret that could not be kept was never issued.
    await writeDemoFile(config.dataDir, planted);
    return planted;
  });
}
