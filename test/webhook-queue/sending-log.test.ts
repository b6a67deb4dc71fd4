import { Webhook } from 'standardwebhooks';
import type { Worker } from '../../services/webhook-queue/worker/worker';
import { openTestTerminal, type TestTerminal } from '../cli/terminal';
import { add, book, createTenant, startFastWorker, whenAll } from './queue-fixture';
import { startReceiver, type Receiver } from './receiver';

let terminal: TestTerminal;
let receiver: Receiver;
let worker: Worker;
beforeAll(async () => {
  [terminal, receiver] = await Promise.all([openTestTerminal(), startReceiver()]);
  worker = startFastWorker(terminal.db);
});
afterAll(async () => {
  await worker.stop();
  await Promise.all([terminal.drop(), receiver.close()]);
});

describe('the log of a delivery', () => {
  it('delivery show names the phases, the peer, the response and the signature of each attempt', async () => {
    receiver.react((response, n) =>
      response.writeHead(n === 1 ? 500 : 200, { 'x-reason': 'tired', 'set-cookie': 'a=1' }).end('so so'),
    );
    const tenantId = await createTenant(terminal.db);
    const { secret } = await add(terminal.db, tenantId, receiver.url);
    await book(terminal.db, tenantId);
    const [delivery] = await whenAll(terminal.db, tenantId, 'delivered');

    const { json } = await terminal.tourctl(`delivery show ${delivery!.id} --reveal --json`);
    const peer = new URL(receiver.url).host;
    const { phases: first } = json.tries[0];
    expect(Object.keys(first).sort()).toEqual(['body', 'connect', 'first_byte']);
    for (const attempt of json.tries) {
      expect(attempt).toMatchObject({
        peer,
        response_headers: { 'x-reason': 'tired' },
        response_body: 'so so',
      });
      expect(attempt.response_headers).not.toHaveProperty('set-cookie');
    }
    const { stdout } = await terminal.tourctl(`delivery show ${delivery!.id}`);
    expect(stdout).toMatch(new RegExp(`http_error +500 .*connect \\d+, wait \\d+, read \\d+ +${peer}`));

    // Verifies each attempt again, because an operator must be able to prove what was sent.
    json.tries.forEach((attempt: { started_at: string; signature: string }, n: number) => {
      const headers = {
        'webhook-id': json.webhook_id,
        'webhook-timestamp': String(Math.floor(Date.parse(attempt.started_at) / 1000)),
        'webhook-signature': attempt.signature,
      };
      expect(receiver.received[n]!.headers).toMatchObject(headers);
      new Webhook(secret).verify(json.body, headers);
    });
  });
});
