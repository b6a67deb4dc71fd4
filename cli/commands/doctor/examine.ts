import { inspectInstallation, type Check } from '../../../services/api/health/inspect-installation';
import { tryStore } from '../../../services/platform/shared-store';
import { listDeliveries } from '../../../services/webhook-queue/operations';
import { withContext, type Context, type Terminal } from '../../context';
import { describeError, EXIT } from '../../failure';
import { CancelledError } from '../../prompts';
import { table } from '../../table';

const COUNTED = 1000;

export async function doctorCommand(terminal: Terminal): Promise<number> {
  const checks = [...(await examine(terminal)), await checkStore(terminal)];
  const ok = checks.every((check) => check.status !== 'broken');
  terminal.output.answer({ ok, checks }, () => {
    return table(
      ['check', 'status', 'detail'],
      checks.map((c) => [c.name, c.status, c.detail]),
      'Nothing checked',
    );
  });
  return ok ? EXIT.done : EXIT.refused;
}

async function examine(terminal: Terminal): Promise<Check[]> {
  try {
    return await withContext(terminal, 'as-is', async ({ db }) => {
      const checks = await inspectInstallation(db);
      return checks.some((check) => check.name === 'migrations' && check.status === 'broken')
        ? checks
        : [...checks, await checkDeliveries(db)];
    });
  } catch (error) {
    if (error instanceof CancelledError) throw error;
    return [{ name: 'database', status: 'broken', detail: describeError(error).message }];
  }
}

async function checkStore({ config: { sharedStore } }: Terminal): Promise<Check> {
  const name = 'store';
  if (!sharedStore) return { name, status: 'ok', detail: 'quotas and cache in memory, for one instance' };
  const variable = sharedStore.kind === 'redis' ? 'REDIS_URL' : 'CACHE_REST_URL';
  try {
    const { roundTripMs } = await tryStore(sharedStore);
    return { name, status: 'ok', detail: `${variable} answers in ${roundTripMs} ms` };
  } catch (error) {
    return { name, status: 'broken', detail: `${variable}: ${(error as Error).message}` };
  }
}

async function checkDeliveries(db: Context['db']): Promise<Check> {
  const [dead, pending] = await Promise.all(
    (['dead', 'pending'] as const).map((status) => listDeliveries(db, { status, limit: COUNTED })),
  );
  const count = (list: unknown[] | undefined) =>
    list!.length < COUNTED ? list!.length : `${COUNTED} or more`;
  const noteworthy = dead!.length + pending!.length > 0;
  return {
    name: 'deliveries',
    status: noteworthy ? 'notice' : 'ok',
    detail: `${count(pending)} pending, ${count(dead)} dead`,
  };
}
