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

describe('the explanation of a redirect', () => {
  it.each<[location: string, url: string]>([
    ['/hooks/events/', `${OWN}/`],
    ['events/', `${OWN}/`],
    [`${OWN}/`, `${OWN}/`],
    ['//acme.example/hooks/events/', `${OWN}/`],
    ['/v2/events', 'https://acme.example/v2/events'],
    ['https://acme.example:8443/hooks/events', 'https://acme.example:8443/hooks/events'],
  ])('a redirect to %s says where it leads, and the command', (location, url) => {
    expect(explain(location)).toBe(text(url, set(url)));
  });

  it('the command for a redirect to another host asks whether the receiver has moved there', () => {
    const url = 'https://www.acme.example/hooks/events';
    expect(explain(url)).toBe(
      text(url, `If the receiver has moved there: tourctl webhook set ${ID} --url ${url}`),
    );
  });

  it.each([OWN, `${OWN}#top`])('a redirect to %s itself names no command', (location) => {
    const cure = 'The server or the proxy of the receiver must answer itself.';
    expect(explain(location)).toBe(text('the same address', cure));
  });

  it.each(['http://acme.example/hooks/events', 'http://169.254.169.254/latest'])(
    'a redirect to %s, which no endpoint may have, names no command',
    (location) => {
      expect(explain(location)).toBe(text(location, 'An endpoint cannot have this address.'));
    },
  );

  it.each<[own: string, location: string, where: string, argument: string]>([
    ['http://acme.example/hook', 'https://acme.example/hook/', 'https://acme.example/hook/', ''],
    [`${OWN}?key=${SECRET}`, `/hooks/events/?key=${SECRET}`, `${OWN}/?…`, '<URL>'],
    [`${OWN}?key=${SECRET}`, '/hooks/events/', `${OWN}/`, ''],
    [OWN, `/login/${SECRET.repeat(5)}`, 'https://acme.example/login/…', '<URL>'],
  ])('a redirect from %s to %s shows no query and no long segment', (own, location, where, argument) => {
    expect(explain(location, { own, allowPrivateTargets: true })).toBe(text(where, set(argument || where)));
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
      text(`${OWN}/`, 'The reseller of the subscription must change its address.'),
    );
  });
});
