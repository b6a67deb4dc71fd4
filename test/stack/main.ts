/**
 * Runs the processes of docker/compose.yaml on this machine, without containers, until Ctrl-C: `npm run lab -- stack`, or
 * `npm run lab -- stack 8090` for another port than 8080. Needs nginx, redis-server and pgbouncer on the path. Its files and its database are deleted when it ends.
 */
import { openDatabase } from '../../services/platform/database/database';
import { isInstalled } from '../support/describe-with';
import { CUSTOMER, givenSeats } from '../support/website';
import { givenKey, givenTenant } from '../support/given';
import { type Stack, startStack } from './stack';

const PROGRAMS = ['nginx', 'redis-server', 'pgbouncer'];
const PROXY_PORT = Number(process.argv[2] ?? 8080);

async function main(): Promise<void> {
  const missing = PROGRAMS.filter((program) => !isInstalled(program)).join(' ');
  if (missing) throw new Error(`not installed: ${missing} (apt-get install ${missing})`);
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  const stack = await startStack({ proxyPort: PROXY_PORT });
  try {
    say(await describeStack(stack));
    await interrupted;
    say('\nStopping …');
  } finally {
    await stack.stop();
  }
}

async function describeStack(stack: Stack): Promise<string> {
  const { url, monitorUrl, apis, queues, databaseUrl, directUrl, redisUrl, dir } = stack;
  const { curl, key } = await givenSomethingToSell(stack);
  const all = (instances: Stack['apis']) => instances.map(({ baseUrl }) => baseUrl).join('  ');
  return `
API               ${url}  (nginx, before ${all(apis)})
Monitoring page   ${monitorUrl}  (nginx, before ${all(queues)})
Database          ${databaseUrl}  (PgBouncer, transaction mode)
  past it         ${directUrl}
Redis             ${redisUrl}
Logs              ${dir}/*.log, ${dir}/nginx/nginx.log
API key           ${key}

${curl}

Ctrl-C stops all of it, and removes its database.`;
}

/** Creates a tenant, an API key and a departure, so that the user can try the API. */
async function givenSomethingToSell({ directUrl, url }: Stack): Promise<{ key: string; curl: string }> {
  const db = openDatabase(directUrl, { applicationName: 'stack', poolMax: 2 });
  try {
    const key = await givenKey(db, await givenTenant(db, { maxUnpaid: 1_000_000 }));
    const { tour, date } = await givenSeats(db, { seats: 1000 });
    const body = JSON.stringify({ ...CUSTOMER, tour_id: tour.slug, departure_date: date });
    const curl = `curl -sS -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${body}' ${url}/api/tenant/bookings`;
    return { key, curl };
  } finally {
    await db.destroy();
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`stack: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
