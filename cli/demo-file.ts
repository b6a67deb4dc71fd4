import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DemoCredentials } from '../services/api/demo/plant-demo';

function demoFile(dataDir: string): string {
  return path.join(dataDir, 'demo.json');
}

/** The demo's credentials as an earlier planting kept them. A file that cannot be read is as good as none. */
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

/** Readable for the owner alone, and never half written. */
export async function writeDemoFile(dataDir: string, demo: DemoCredentials): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const draft = `${demoFile(dataDir)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, demoFile(dataDir));
}
