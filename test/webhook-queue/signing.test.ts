import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import {
  deriveSealingKey,
  mintSecret,
  sealSecret,
  showSecret,
  unsealSecret,
} from '../../services/webhook-queue/signing/seal-secret';
import {
  explainInvalidPayload,
  signPayload,
  webhookId,
} from '../../services/webhook-queue/signing/sign-payload';

const secretsOf = (count: number) => Array.from({ length: count }, mintSecret);
/** Replaces one byte. */
const flipped = (bytes: Buffer, at: number, mask: number) => {
  const altered = Buffer.from(bytes);
  altered[at % bytes.length]! ^= mask;
  return altered;
};
const change = fc.record({ at: fc.nat(10_000), mask: fc.integer({ min: 1, max: 255 }) });
const webhookIds = fc.uuid().map(webhookId);

describe('a signature', () => {
  it('the standardwebhooks library accepts a signature with each signing secret, and with no other secret', () => {
    fc.assert(
      fc.property(webhookIds, fc.json(), fc.integer({ min: 1, max: 5 }), (id, body, count) => {
        const secrets = secretsOf(count);
        const headers = signPayload({ id, sentAt: new Date(), body }, secrets);
        for (const secret of secrets) new Webhook(showSecret(secret)).verify(body, headers);
        expect(() => new Webhook(showSecret(mintSecret())).verify(body, headers)).toThrow('signature');
        for (const secret of secrets)
          expect(explainInvalidPayload({ headers, body }, secret, new Date())).toBeNull();
      }),
      { numRuns: 50 },
    );
  });

  it('the library and our verifier refuse a changed byte of body, id, time or signature', () => {
    const parts = fc.constantFrom('body', 'webhook-id', 'webhook-timestamp', 'webhook-signature');
    fc.assert(
      fc.property(webhookIds, fc.json(), parts, change, (id, body, part, { at, mask }) => {
        const [secret] = secretsOf(1) as [Buffer];
        const sent: Record<string, string> = {
          body,
          ...signPayload({ id, sentAt: new Date(), body }, [secret]),
        };
        const altered = { ...sent, [part]: flipped(Buffer.from(sent[part]!), at, mask).toString('latin1') };
        const { body: alteredBody = '', ...headers } = altered;
        expect(() => new Webhook(showSecret(secret)).verify(alteredBody, headers)).toThrow();
        expect(explainInvalidPayload({ headers, body: alteredBody }, secret, new Date())).not.toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  it('the library refuses a signature when a byte of the secret changes', () => {
    fc.assert(
      fc.property(fc.json(), change, (body, { at, mask }) => {
        const [secret] = secretsOf(1) as [Buffer];
        const headers = signPayload({ id: 'msg_1', sentAt: new Date(), body }, [secret]);
        const other = showSecret(flipped(secret, at, mask));
        expect(() => new Webhook(other).verify(body, headers)).toThrow('signature');
      }),
      { numRuns: 50 },
    );
  });

  it('the headers of a signature are visible ASCII, with an id without a dot and whole seconds', () => {
    fc.assert(
      fc.property(
        webhookIds,
        fc.string({ unit: 'binary' }),
        fc.date({ noInvalidDate: true }),
        (id, body, sentAt) => {
          const headers = signPayload({ id, sentAt, body }, secretsOf(5));
          expect(headers['webhook-id']).toMatch(/^msg_[0-9a-f]{32}$/);
          expect(headers['webhook-timestamp']).toMatch(/^-?\d+$/);
          expect(headers['webhook-signature']).toMatch(/^(v1,[A-Za-z0-9+/]{43}=( |$)){5}$/);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('a sealed secret', () => {
  const key = deriveSealingKey('a key that is long enough for a test');
  const secret = mintSecret();
  const sealed = sealSecret(key, 'endpoint', secret);

  it('a sealed secret opens with its sealing key for its endpoint', () => {
    expect(unsealSecret(key, 'endpoint', sealed)).toEqual(secret);
  });

  const other = deriveSealingKey('another key that is long enough too');
  const altered = flipped(sealed.ciphertext, 0, 1);
  it.each([
    ['for another endpoint', key, 'another', sealed, 'altered'],
    ['under another id', key, 'endpoint', { ...sealed, id: 'another' }, 'altered'],
    ['after a change', key, 'endpoint', { ...sealed, ciphertext: altered }, 'altered'],
    ['with another key', other, 'endpoint', sealed, 'another SECRETS_KEY'],
  ])('a sealed secret does not open %s', (_, withKey, endpoint, stored, message) => {
    expect(() => unsealSecret(withKey, endpoint, stored)).toThrow(message);
  });
});
