import { readFileSync } from 'node:fs';
import path from 'node:path';
import { mintCredentialToken, parseToken, type CredentialKind } from '../../services/api/credentials/token';

const DOCS = path.resolve(__dirname, '../../docs');
const PAGE = readFileSync(path.join(DOCS, 'keys.md'), 'utf8');
const SCANNERS = path.join(DOCS, 'examples/secret-scanners');
const GITLEAKS = readFileSync(path.join(SCANNERS, 'gitleaks.toml'), 'utf8');
const TRUFFLEHOG = readFileSync(path.join(SCANNERS, 'trufflehog.yaml'), 'utf8');
const KINDS = ['api_key', 'widget_token'] as const;
const ISSUED = 200;

const rules = {
  'the plain patterns': /```regex\n([^]*?)\n```/.exec(PAGE)![1]!.split('\n'),
  gitleaks: [...GITLEAKS.matchAll(/regex = '''(.*)'''/g)].map((match) => match[1]!),
};
const [trufflehog] = [...TRUFFLEHOG.matchAll(/key: '(.*)'/g)].map((match) => match[1]!);
const issued = (kind: CredentialKind) =>
  Array.from({ length: ISSUED }, () => mintCredentialToken(kind).token);

describe('the documented patterns for secret scanners', () => {
  it.each(Object.entries(rules))(
    '%s: each pattern finds every complete token of its kind, and none of the other kind',
    (_, found) => {
      expect(found).toHaveLength(2);
      for (const [i, kind] of KINDS.entries()) {
        for (const token of issued(kind)) {
          const page = `curl -H "Authorization: Bearer ${token}", https://api.example/?token=${token}&limit=5`;
          expect(page.match(new RegExp(found[i]!, 'g'))).toEqual([token, token]);
          expect(page).not.toMatch(new RegExp(found[1 - i]!));
        }
      }
    },
  );

  it('every tool has the same patterns, with a group around the secret', () => {
    const [key, token] = rules['the plain patterns'].map((line) => line.slice(2, -2));
    expect(rules.gitleaks).toEqual([`\\b(${key})\\b`, `\\b(${token})\\b`]);
    expect(trufflehog).toBe(`\\b(${key})\\b`);
  });

  it('the pattern ignores text that is too short, too long, or has other characters', () => {
    const pattern = new RegExp(rules['the plain patterns'][0]!);
    const { token } = mintCredentialToken('api_key');
    for (const text of [token.slice(0, -1), `${token}x`, `x${token}`, token.replace(/.{3}$/, '-é-')]) {
      expect(text).not.toMatch(pattern);
    }
  });

  it('every token has more entropy than gitleaks requires', () => {
    const least = Math.min(...[...GITLEAKS.matchAll(/entropy = ([\d.]+)/g)].map((match) => Number(match[1])));
    for (const kind of KINDS) {
      for (const token of issued(kind)) expect(entropyOf(token)).toBeGreaterThan(least);
    }
  });
});

describe('the documented checksum', () => {
  const { isOurs } = jest.requireActual<{ isOurs: (text: string) => boolean }>(
    '../../docs/examples/secret-scanners/checksum.cjs',
  );

  it.each(KINDS)('the documented code accepts the checksum of every %s', (kind) => {
    for (const token of issued(kind)) expect(isOurs(token)).toBe(true);
  });

  it('the documented code and the product refuse the checksum of a mistyped token', () => {
    for (const token of issued('api_key')) {
      const swapped = token.replace(/(.)(.)(.{10})$/, '$2$1$3');
      if (swapped === token) continue;
      expect([isOurs(swapped), parseToken(swapped)]).toEqual([false, undefined]);
    }
  });
});

/** Computes the bits per character like gitleaks. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return [...counts.values()].reduce(
    (sum, count) => sum - (count / text.length) * Math.log2(count / text.length),
    0,
  );
}
