import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { digestToken, mintCredentialToken, parseToken } from '../../services/api/credentials/token';

describe('a minted credential', () => {
  it('an API key and a widget token have the documented form', () => {
    expect(mintCredentialToken('api_key').token).toMatch(/^svc_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
    expect(mintCredentialToken('widget_token').token).toMatch(/^svc_widget_[0-9A-Za-z]{12}_[0-9A-Za-z]{28}$/);
  });

  it.each(['api_key', 'widget_token'] as const)('a minted %s contains its kind and its id', (kind) => {
    const { id, token } = mintCredentialToken(kind);
    expect(parseToken(token)).toEqual({ kind, id });
  });

  it('no two minted credentials are the same', () => {
    const tokens = Array.from({ length: 2000 }, () => mintCredentialToken('widget_token').token);
    expect(new Set(tokens).size).toBe(2000);
  });

  it('minted credentials use each base62 character equally often', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 3000; i++) {
      for (const character of mintCredentialToken('api_key').token.slice(22, 54)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    const expected = (3000 * 32) / 62;
    const chiSquare = [...counts.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    expect(counts.size).toBe(62);
    // The test has 61 degrees of freedom. Random tokens exceed 140 once in ten million runs. A generator that uses byte % 62 gives about
    // 250.
    expect(chiSquare).toBeLessThan(140);
  });
});

describe('a mistyped credential', () => {
  const { token } = mintCredentialToken('api_key');

  it('the checksum detects any wrong character', () => {
    const position = fc.integer({ min: 'svc_live_'.length, max: token.length - 1 });
    fc.assert(
      fc.property(position, fc.constantFrom(...'0123456789ABCXYZabcxyz'), (at, character) => {
        const wrong = token.slice(0, at) + character + token.slice(at + 1);
        return wrong === token || parseToken(wrong) === undefined;
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['another prefix', token.replace('svc_live', 'svc_test')],
    ['upper case', token.toUpperCase()],
    ['a trailing newline', `${token}\n`],
    ['a leading space', ` ${token}`],
    ['one character less', token.slice(0, -1)],
    ['one character more', `${token}0`],
    ['the other kind of prefix', token.replace('svc_live', 'svc_widget')],
    ['a character outside base62', token.replace(/.$/, '-')],
  ])('the parser of credentials refuses a malformed credential: %s', (_, text) => {
    expect(parseToken(text)).toBeUndefined();
  });
});

describe('the digest of a credential', () => {
  it('the digest without a pepper is SHA-256', () => {
    const digest = createHash('sha256').update('svc_live_x').digest();
    expect(digestToken('svc_live_x', undefined)).toEqual({ digest, algorithm: 'sha256' });
  });

  it('the digest with a pepper is HMAC-SHA-256', () => {
    const digest = createHmac('sha256', 'pepper').update('svc_live_x').digest();
    expect(digestToken('svc_live_x', 'pepper')).toEqual({ digest, algorithm: 'hmac-sha256' });
  });
});
