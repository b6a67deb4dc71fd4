import { Writable } from 'node:stream';
import pino from 'pino';
import { unsent } from '../../services/webhook-queue/sending/send-webhook';
import type { Claim } from '../../services/webhook-queue/worker/claim.repository';
import type { ClaimDue } from '../../services/webhook-queue/worker/claim-due';
import { startClaimLoop } from '../../services/webhook-queue/worker/claim-loop';
import { createSlots } from '../../services/webhook-queue/worker/slots';
import { eventually } from './queue-fixture';

it('The claim loop logs each kind of database error once, and logs once that claims succeed again', async () => {
  const told: string[] = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      const { msg, err } = JSON.parse(line.toString()) as { msg: string; err?: { code: string } };
      told.push(err ? `${msg} ${err.code}` : msg);
      done();
    },
  });
  const codes = ['57P01', ...Array<string>(20).fill('ECONNREFUSED'), '57P03'];
  let claims = 0;
  const claimDue: ClaimDue = async () => {
    claims++;
    const code = codes.shift();
    if (code) throw Object.assign(new Error(`try ${claims}`), { code });
    return { claims: [], nothingLeft: true };
  };
  const never = () => Promise.reject(new Error('nothing was claimed'));
  const slots = createSlots({ slots: 1, send: never, record: never, onFree: () => undefined });
  const loop = startClaimLoop({ log: pino(stream), claimDue, slots, pollMs: 1 });
  await eventually('some that succeed', () => (claims > 25 ? true : undefined));
  await loop.stop();
  expect(told).toEqual([
    'claim failed 57P01',
    'claim failed ECONNREFUSED',
    'claim failed 57P03',
    'claims succeed again',
  ]);
});

it('A delivery that is claimed twice takes two slots of the worker, each until its result is recorded', async () => {
  const claim: Claim = {
    id: 'd1',
    endpointId: 'e1',
    eventId: 'v1',
    url: 'https://example.com/',
    body: '{}',
    isSubscription: false,
    secrets: [],
    ownHeaders: [],
    fence: 1,
    tries: 0,
    uncounted: 0,
    createdAt: new Date(),
    traceparent: null,
    claimedAt: new Date(),
    dueAt: new Date(),
  };
  const ends = new Map<number, () => void>();
  const recorded: number[] = [];
  const slots = createSlots({
    slots: 4,
    send: ({ fence }, cutoff) =>
      new Promise((resolve) => {
        const end = () => resolve(unsent({ outcome: 'interrupted', reason: 'The test ended it.' }));
        ends.set(fence, end);
        cutoff.add(end);
      }),
    record: async ({ fence }) => void recorded.push(fence),
    onFree: () => undefined,
  });
  slots.take(claim);
  slots.take({ ...claim, fence: 2 });
  expect([slots.free(), slots.countByEndpoint().get('e1')]).toEqual([2, 2]);

  ends.get(1)!();
  await eventually('the first claim is recorded', () => (recorded.length === 1 ? true : undefined));
  expect([slots.free(), slots.countByEndpoint().get('e1')]).toEqual([3, 1]);

  await slots.finishAll(0);
  expect(recorded).toEqual([1, 2]);
  expect([slots.free(), slots.inFlight(), slots.countByEndpoint().size]).toEqual([4, 0, 0]);
});
