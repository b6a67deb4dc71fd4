import { isQueueRunning } from '../../services/webhook-queue/inspect-queue';
import type { Worker } from '../../services/webhook-queue/worker/worker';
import { givenTenant } from '../support/given';
import { eventually, startFastWorker } from '../webhook-queue/queue-fixture';
import { type Receiver, startReceiver, status } from '../webhook-queue/receiver';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on' });

describe('the answer to a test event', () => {
  let receiver: Receiver;
  let worker: Worker;
  let id: string;
  beforeAll(async () => {
    receiver = await startReceiver();
    worker = startFastWorker(terminal.db, { secretsKey: terminal.env.SECRETS_KEY });
    const { slug } = await givenTenant(terminal.db);
    ({ id } = await terminal.json(`webhook add ${slug} ${receiver.url}`));
    await eventually('the worker', async () => (await isQueueRunning(terminal.db)) || undefined);
  });
  afterAll(async () => {
    await worker.stop(0);
    await receiver.close();
  });

  it.each(['webhook ping ID', 'webhook trigger ID --event booking.updated'])(
    'tourctl waits for the answer of the receiver, and says it: %s',
    async (line) => {
      receiver.react(status(204));
      const command = line.replace('ID', id);
      const { code, stdout, stderr } = await terminal.tourctl(command);
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('warning')]);
      expect(stdout).toMatch(/^[\w-]{36}: the receiver answered 204 in \d+ ms\n$/);
      expect(await terminal.json(command)).toMatchObject({
        id,
        outcome: 'delivered',
        status_code: 204,
        reason: null,
        duration_ms: expect.any(Number),
      });
    },
  );

  it('tourctl webhook ping ends with 1 and says where a redirect leads, and so does webhook show', async () => {
    receiver.react((response) => response.writeHead(308, { location: '/hook/' }).end());
    const reason =
      `The receiver answered 308 and redirects to ${receiver.url}/. Redirects are not followed. ` +
      `Set the new address: tourctl webhook set ${id} --url ${receiver.url}/`;
    const { code, json, error } = await terminal.tourctl(`webhook ping ${id} --json`);
    expect([code, error]).toEqual([1, { code: 'not_delivered', message: reason }]);
    expect(json).toMatchObject({ id, outcome: 'redirect', status_code: 308, reason });
    expect((await terminal.json(`webhook show ${id}`)).last_failure.error).toBe(reason);
    receiver.react((response, _, { path }) => response.writeHead(path === '/hook/' ? 204 : 308).end());
    await terminal.tourctl(`webhook set ${id} --url ${receiver.url}/`);
    expect((await terminal.tourctl(`webhook ping ${id}`)).code).toBe(0);
  });

  it('tourctl webhook ping ends with 1 if the receiver answers with an error', async () => {
    receiver.react(status(500));
    const { code, error } = await terminal.tourctl(`webhook ping ${id} --json`);
    expect([code, error]).toEqual([1, { code: 'not_delivered', message: 'The receiver answered 500.' }]);
  });
});
