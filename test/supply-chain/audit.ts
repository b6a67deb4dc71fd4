import { spawnSync } from 'node:child_process';

interface Report {
  /** Set if the registry refused the request or did not answer. */
  error?: unknown;
  message?: string;
  vulnerabilities?: Record<string, { severity: string }>;
}

/**
 * Checks the production packages by `npm audit`. Fails for a finding of the severity high or critical. Some mirrors answer no audit
 * request. The check then reports this and does not fail.
 */
function main(): void {
  const args = ['audit', '--omit=dev', '--audit-level=high', '--json', '--fetch-retries=0'];
  const { status, stdout } = spawnSync('npm', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const { error, message, vulnerabilities = {} } = JSON.parse(stdout) as Report;
  if (error) return say(`Nothing was checked, because the registry answers no audit request: ${message}`);
  for (const [name, { severity }] of Object.entries(vulnerabilities)) say(`${name}: ${severity}`);
  if (status === 0) return say('npm audit has no finding of the severity high or critical.');
  say('Run `npm audit --omit=dev` to see the findings and their fixes.');
  process.exitCode = 1;
}

const say = (line: string) => void process.stdout.write(`${line}\n`);

main();
