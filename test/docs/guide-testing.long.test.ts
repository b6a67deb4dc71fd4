import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { useTestApi } from '../support/api';
import { expectProblem } from '../support/responses';
import { givenSeats, givenWebsite } from '../support/website';
import { freePorts } from '../support/free-ports';
import { openTestTerminal } from '../cli/terminal';
import { eventually, startFastWorker } from '../webhook-queue/queue-fixture';
import { callTourctl, folderWith, pageSnippets } from './guide';

describe('the receiver that the page for operators starts in a terminal', () => {
  it('the webhook receiver on the page for operators accepts the signature of a webhook from the platform', async () => {
    const terminal = await openTestTerminal();
    await terminal.tourctl('tenant create --slug demo --name Demo');
    const worker = startFastWorker(terminal.db, { secretsKey: terminal.env.SECRETS_KEY! });
    const [port] = await freePorts();
    const [script] = pageSnippets('tenants.md', 'Webhooks').map((text) =>
      callTourctl(text).replaceAll('4000', `${port}`),
    );
    const shell = spawn('bash', ['--norc', '-euc', script!], {
      cwd: await folderWith({}),
      env: { ...process.env, ...terminal.env },
      detached: true,
    });
    let said = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const ended = once(shell, 'exit');
    try {
      await eventually('the listener', () => said.includes('Listening on') || undefined);
      const { json } = await terminal.tourctl('webhook list demo --json');
      await terminal.tourctl(['webhook', 'ping', json.items[0].id]);
      await eventually('a webhook', () => /verified/i.test(said) || undefined);
      expect(said).not.toMatch(/not verified/i);
    } finally {
      process.kill(-shell.pid!, 'SIGINT');
      await ended;
      await worker.stop();
      await terminal.drop();
    }
  });
});

describe('the refusals that the guide provokes', () => {
  const api = useTestApi();

  it.each([false, true])('the API answers each refusal as the guide says (sandbox: %s)', async (sandbox) => {
    const website = await givenWebsite(api, { sandbox });
    const { tour, date } = await givenSeats(api.db);
    const hold = (body: object, key = 'one') =>
      website.hold(tour, { departure_date: date, ...body }, { 'Idempotency-Key': key });
    expectProblem(await hold({ quantity: 50 }), 409, 'insufficient_seats');
    expectProblem(await hold({ quantity: 1, departure_date: '2099-01-01' }), 409, 'departure_gone');
    const booking = { tour_id: tour.slug, departure_date: date, expected_total: 1 };
    expectProblem(await website.book(booking), 409, 'price_changed');
    expect((await hold({ quantity: 1 })).status).toBe(201);
    expectProblem(await hold({ quantity: 2 }), 422, 'idempotency_key_reused');
  });
});
