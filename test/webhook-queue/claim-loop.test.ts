import { Writable } from 'node:stream';
import pino from 'pino';
import type { ClaimDue } from '../../services/webhook-queue/worker/claim-due';
import { startClaimLoop } from '../../services/webhook-queue/worker/claim-loop';
import { createSlots } from '../../services/webhook-queue/worker/slots';
import { eventually } from './queue-fixture';

it('The claim loop logs an unreachable database once for each error, and once when claims succeed again', async () => {
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
    ...['claim failed 57P01', 'claim failed ECONNREFUSED', 'claim failed 57P03'],
    'claims succeed again',
  ]);
});
