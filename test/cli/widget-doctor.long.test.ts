import { createServer } from 'node:http';
import { listen } from '../support/listen';
import { useTestTerminal, withEnv } from './terminal';

const terminal = useTestTerminal();
let token: string;
beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme');
  await terminal.tourctl('origins add acme https://shop.example https://book.example:8443');
  token = String((await terminal.json('widget issue acme')).token);
});

const ask = async (origin: string, of = token) => {
  const { code, json } = await terminal.tourctl(`widget doctor --token ${of} --origin ${origin} --json`);
  return { code, ...(json as { allowed: boolean; origin: string; reason: string; advice: string | null }) };
};

describe('tourctl widget doctor', () => {
  it.each([
    ['https://shop.example', 'https://shop.example'],
    ['shop.example', 'https://shop.example'],
    ['https://SHOP.example:443/tours?lang=de#top', 'https://shop.example'],
    ['book.example:8443/', 'https://book.example:8443'],
  ])('tourctl widget doctor reads %s as the allowed origin %s', async (page, origin) => {
    expect(await ask(page)).toMatchObject({ code: 0, allowed: true, origin, advice: null });
  });

  it.each([
    ['https://www.shop.example', /without www/, 'tourctl origins add acme https://www.shop.example'],
    ['http://shop.example', /came over http;/, 'Redirect it to https://shop.example.'],
    ['https://shop.example.', /trailing dot/, 'Link to https://shop.example without the dot.'],
    ['https://shop.example:444', /another port/, 'tourctl origins add acme https://shop.example:444'],
    ['https://blog.shop.example', /subdomain/, 'tourctl origins add acme https://blog.shop.example'],
    ['https://other.example', /not listed/, 'tourctl origins add acme https://other.example'],
    ['http://localhost:3000', /not listed/, 'tourctl origins add acme http://localhost:3000 --dev'],
    [
      'http://127.0.0.1:8080',
      /the name localhost can/,
      'Open the page at http://localhost:8080, after: tourctl origins add acme http://localhost:8080 --dev',
    ],
    ['http://[::1]:8080', /the name localhost can/, expect.stringContaining('http://localhost:8080')],
    ['https://192.168.0.7', /never be listed/, expect.stringContaining('write the domain of the site')],
    ['http://other.example', /never be listed/, 'use https: write https://other.example'],
    ['null', /origin null/, expect.stringContaining('allow-same-origin')],
    ['file:///home/ana/page.html', /origin null/, expect.stringContaining('https')],
  ])(
    'tourctl widget doctor explains why %s is refused, and names the next step',
    async (page, reason, advice) => {
      expect(await ask(page)).toMatchObject({
        code: 1,
        allowed: false,
        reason: expect.stringMatching(reason),
        advice,
      });
    },
  );

  it('the command that tourctl widget doctor prints for a page on the own machine works, and then the page is allowed', async () => {
    const { advice } = await ask('http://127.0.0.1:8090');
    const [, command] = advice!.split(': tourctl ');
    expect(await terminal.tourctl(command!)).toMatchObject({ code: 0 });
    expect(await ask('http://localhost:8090')).toMatchObject({ code: 0, allowed: true });
    expect((await ask('http://127.0.0.1:8090')).advice).toBe('Open the page at http://localhost:8090.');
    await terminal.tourctl('origins remove acme http://localhost:8090 --yes');
  });

  it('tourctl widget doctor prints no command that fails for a page on the own machine of a tenant that is not on trial', async () => {
    await terminal.tourctl('tenant create --slug sold --name Sold --status active');
    await terminal.tourctl('origins add sold https://sold.example');
    const of = String((await terminal.json('widget issue sold')).token);
    for (const page of ['http://localhost:8080', 'http://127.0.0.1:8080'])
      expect(await ask(page, of)).toMatchObject({ allowed: false, advice: 'Try it on a trial tenant.' });
  });

  it('tourctl widget doctor checks each page around the page, and names all that are missing', async () => {
    const doctor = async (...origins: string[]) => {
      const flags = origins.map((origin) => `--origin ${origin}`).join(' ');
      return terminal.tourctl(`widget doctor --token ${token} ${flags} --json`);
    };
    const refused = await doctor(
      'shop.example',
      'book.example:8443',
      'https://a.example',
      'https://b.example',
    );
    expect(refused.code).toBe(1);
    expect(refused.json).toMatchObject({
      allowed: false,
      origin: 'https://a.example',
      around: ['https://book.example:8443', 'https://a.example', 'https://b.example'],
      advice: 'tourctl origins add acme https://a.example https://b.example',
    });
    const allowed = await doctor('shop.example', 'book.example:8443');
    expect([allowed.code, allowed.json]).toEqual([
      0,
      expect.objectContaining({ origin: 'https://shop.example' }),
    ]);
  });

  it('tourctl widget doctor says whether the platform answers at PUBLIC_BASE_URL', async () => {
    const server = createServer((_request, response) => response.end());
    const port = await listen(server);
    const askAt = (baseUrl: string) =>
      withEnv(terminal, { PUBLIC_BASE_URL: baseUrl }, () =>
        terminal.tourctl(`widget doctor --token ${token} --origin shop.example`),
      );
    const away = await askAt('http://127.0.0.1:1');
    expect([away.code, away.stderr]).toEqual([
      0,
      expect.stringContaining('http://127.0.0.1:1 (PUBLIC_BASE_URL) does not answer from here'),
    ]);
    const there = await askAt(`http://127.0.0.1:${port}`);
    expect(there.stderr).not.toContain('PUBLIC_BASE_URL');
    server.close();
  });

  it('tourctl widget doctor reads the token from standard input if the command line has none', async () => {
    const { code, json } = await terminal.tourctl('widget doctor --origin shop.example --json', token);
    expect([code, json.allowed]).toEqual([0, true]);
    expect((await terminal.tourctl('widget doctor --origin shop.example', '')).code).toBe(2);
  });

  it('tourctl widget doctor explains a token that verification refuses', async () => {
    expect(await ask('shop.example', `${token.slice(0, -1)}!`)).toMatchObject({ code: 1, allowed: false });
    const { key } = await terminal.json('key issue acme --scope catalog:read');
    expect((await ask('shop.example', String(key))).reason).toMatch(/API key/);
    const spare = await terminal.json('widget issue acme');
    await terminal.tourctl(`widget revoke ${String(spare.id)} --yes`);
    expect((await ask('shop.example', String(spare.token))).reason).toBe('The token is revoked.');
    await terminal.tourctl('tenant suspend acme --yes');
    expect(await ask('shop.example')).toMatchObject({
      allowed: false,
      advice: 'tourctl tenant activate acme',
    });
    await terminal.tourctl('tenant activate acme');
  });

  it("tourctl widget doctor uses the token's own origins instead of the tenant's", async () => {
    const own = await terminal.json('widget issue acme --origin https://only.example');
    expect(await ask('https://only.example', String(own.token))).toMatchObject({ allowed: true });
    const refused = await ask('https://shop.example', String(own.token));
    expect(refused).toMatchObject({ allowed: false, advice: expect.stringContaining('widget issue acme') });
  });
});
