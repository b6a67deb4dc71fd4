import { explainRedirect } from '../../services/webhook-queue/sending/explain-redirect';

const ID = '01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f';
const OWN = 'https://acme.example/hooks/events';
const SECRET = 'secret';

interface Given {
  own?: string;
  isSubscription?: boolean;
  allowPrivateTargets?: boolean;
}

function explain(location: string | undefined, given: Given = {}): string {
  const { own = OWN, isSubscription = false, allowPrivateTargets = false } = given;
  const endpoint = { id: ID, url: new URL(own), isSubscription };
  return explainRedirect(308, location, endpoint, allowPrivateTargets);
}

const text = (where: string, cure: string) =>
  `The receiver answered 308 and redirects to ${where}. Redirects are not followed. ${cure}`;
const set = (url: string) => `Set the new address: tourctl webhook set ${ID} --url ${url}`;
const moved = (url: string) => `If the receiver has moved there: tourctl webhook set ${ID} --url ${url}`;

describe('the explanation of a redirect', () => {
  it.each<[location: string, where: string, cure: string]>([
    ['/hooks/events/', 'the same host, with a slash at the end', set(`${OWN}/`)],
    ['events/', 'the same host, with a slash at the end', set(`${OWN}/`)],
    [`${OWN}/`, 'the same host, with a slash at the end', set(`${OWN}/`)],
    ['//acme.example/hooks/events/', 'the same host, with a slash at the end', set(`${OWN}/`)],
    ['/v2/events', 'the same host, with another path (/v2/events)', set('https://acme.example/v2/events')],
    [
      'https://www.acme.example/hooks/events',
      'another host (www.acme.example), with the same path',
      moved('https://www.acme.example/hooks/events'),
    ],
    [
      'https://acme.example:8443/hooks/events',
      'the same host, on port 8443',
      set('https://acme.example:8443/hooks/events'),
    ],
    [OWN, 'the same address', 'The server or the proxy of the receiver must answer itself.'],
    [`${OWN}#top`, 'the same address', 'The server or the proxy of the receiver must answer itself.'],
    [
      'http://acme.example/hooks/events',
      'the same host, without https',
      'An endpoint cannot have this address.',
    ],
    [
      'http://169.254.169.254/latest',
      'another host (169.254.169.254), without https, with another path (/latest)',
      'An endpoint cannot have this address.',
    ],
  ])('a redirect to %s says what differs, and the command', (location, where, cure) => {
    expect(explain(location)).toBe(text(where, cure));
  });

  it.each<[own: string, location: string, where: string, cure: string]>([
    [
      'http://acme.example/hook',
      'https://acme.example/hook/',
      'the same host, with https, with a slash at the end',
      set('https://acme.example/hook/'),
    ],
    [
      'https://acme.example/hook/',
      '/hook',
      'the same host, without the slash at the end',
      set('https://acme.example/hook'),
    ],
    [
      'https://acme.example:8443/hook',
      'https://acme.example/hook',
      'the same host, without the port',
      set('https://acme.example/hook'),
    ],
    [
      `https://acme.example/hook?key=${SECRET}`,
      `/hook/?key=${SECRET}`,
      'the same host, with a slash at the end, with the same query',
      set('<URL>'),
    ],
    [
      `https://acme.example/hook?key=${SECRET}`,
      '/hook/',
      'the same host, with a slash at the end, without the query',
      set('https://acme.example/hook/'),
    ],
  ])('a redirect from %s to %s says what differs', (own, location, where, cure) => {
    expect(explain(location, { own, allowPrivateTargets: true })).toBe(text(where, cure));
  });

  it.each([
    `https://user:${SECRET}@acme.example/hooks/events/`,
    `/hooks/events/?token=${SECRET}`,
    `/hooks/events/#${SECRET}`,
    `/login/${SECRET.repeat(5)}`,
    `/customers/${SECRET}%40example.com`,
    `/hooks/${SECRET};rm -rf ~`,
    `/$(${SECRET})`,
    `https://$(${SECRET}).example/`,
    `https://acme.example\`${SECRET}\`/`,
  ])('a redirect to %s shows neither the secret nor a character that a shell reads', (location) => {
    const shown = explain(location);
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toMatch(/[$;`'"&|\\]/);
    expect(shown).toContain('Redirects are not followed.');
  });

  it.each([undefined, '', 'https://[', `/${'a'.repeat(3_000)}`, 'javascript:alert(1)'])(
    'a redirect to %s names no command to set it',
    (location) => {
      expect(explain(location)).not.toContain('tourctl');
    },
  );

  it('a redirect of a subscription of OCTO names no command, because its reseller sets the address', () => {
    expect(explain('/hooks/events/', { isSubscription: true })).toBe(
      text(
        'the same host, with a slash at the end',
        'The reseller of the subscription must change its address.',
      ),
    );
  });
});
