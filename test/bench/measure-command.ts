import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

interface Outcome {
  seconds: number;
  /** The largest resident set of the process. */
  megabytes: number;
}

/**
 * Runs tourctl by its real entry point. Includes the start of the process and of the database connection, because an operator
 * waits for them too.
 */
export async function measureCommand(args: string[], directory: string, database: string): Promise<Outcome> {
  const peak = path.join(directory, 'peak');
  const witness = path.join(directory, 'witness.cjs');
  const note = `require('node:fs').writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS))`;
  writeFileSync(witness, `process.on('exit', () => ${note});`);
  const begun = performance.now();
  const child = spawn(
    process.execPath,
    ['--require', witness, path.join(ROOT, 'cli/tourctl.js'), ...args, '--json'],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        DATABASE_URL: database,
        SECRETS_KEY: 's'.repeat(32),
        CURSOR_KEY: 'c'.repeat(32),
      },
    },
  );
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`);
  return {
    seconds: (performance.now() - begun) / 1000,
    megabytes: Number(readFileSync(peak, 'utf8')) / 1024,
  };
}
