import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import {
  deriveSealingKey,
  mintSecret,
  sealSecret,
  showSecret,
  unsealSecret,
} from '../../services/webhook-queue/seal-secret';
import { signPayload } from '../../services/webhook-queue/sign-payload';

describe('a signature', () => {
  it('is accepted by the standardwebhooks library for any body, with each of its secrets and with no other', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 1, max: 5 }), (body, count) => {
        const secrets = Array.from({ length: count }, mintSecret);
        const headers = signPayload({ id: 'msg_1', sentAt: new Date(), body }, secrets);
        for (const secret of secrets) new Webhook(showSecret(secret)).verify(body, headers);
        expect(() => new Webhook(showSecret(mintSecret())).verify(body, headers)).toThrow('signature');
        expect(() => new Webhook(showSecret(secrets[0]!)).verify(`${body} `, headers)).toThrow('signature');
      }),
      { numRuns: 50 },
    );
  });
});

describe('a sealed secret', () => {
  const key = deriveSealingKey('a key that is long enough for a test');
  const secret = mintSecret();
  const sealed = sealSecret(key, 'endpoint', secret);

  it('opens with the key that sealed it, for its own endpoint', () => {
    expect(unsealSecret(key, 'endpoint', sealed)).toEqual(secret);
  });

  it('opens neither for another endpoint, nor under another id, nor altered, nor with another key', () => {
    const altered = Buffer.from(sealed.ciphertext);
    altered[0]! ^= 1;
    expect(() => unsealSecret(key, 'another', sealed)).toThrow('altered');
    expect(() => unsealSecret(key, 'endpoint', { ...sealed, id: 'another' })).toThrow('altered');
    expect(() => unsealSecret(key, 'endpoint', { ...sealed, ciphertext: altered })).toThrow('altered');
    const other = deriveSealingKey('another key that is long enough too');
    expect(() => unsealSecret(other, 'endpoint', sealed)).toThrow('another SECRETS_KEY');
  });
});
