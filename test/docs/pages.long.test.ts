import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { renderMarkdown } from '../../services/api/docs/generate/markdown';
import { highlight } from '../../services/api/docs/pages/highlight';
import { PROBLEMS } from '../../services/api/http/problems';
import { toHtml } from '../../services/platform/html-template';
import { startTestApi, useTestApi } from '../support/api';
import { expectProblem } from '../support/responses';
import { givenWebsite } from '../support/website';

const CODES = Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[];

/** The pages of the guide, in their order. */
const GUIDE = ['sell-on-your-page', 'proxy', 'first-booking', 'selling', 'webhooks', 'widget', 'octo'].map(
  (name) => `/docs/guide/${name}`,
);
const SEARCHING = "connect-src 'self'; ";

const api = useTestApi();

/** Returns the policy that allows the styles and the script of a page, and the sources of its other requests. */
function policyOf(text: string, others = ''): string {
  const hashesOf = (name: string) =>
    [...text.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, 'g'))]
      .map(([, source]) => `'sha256-${createHash('sha256').update(source!).digest('base64')}'`)
      .join(' ');
  return (
    `default-src 'none'; img-src 'self'; style-src ${hashesOf('style')}; ` +
    `script-src ${hashesOf('script')}; ${others}base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  );
}

/** Returns the tags of a page, without its own script. */
function tagsOf(text: string): string {
  return text
    .replace(/<script>[^]*?<\/script>/, '')
    .match(/<[^>]+>/g)!
    .join('');
}

describe('the documentation pages', () => {
  it.each(['/', '/docs', '/docs/guide', GUIDE[0]!, '/docs/errors', '/docs/errors/price_changed'])(
    '%s loads nothing but pictures of its host, cannot be framed, and runs no script except its own',
    async (page) => {
      const { status, text, headers } = await api.http.get(page);
      expect({ status, type: headers['content-type'] }).toEqual({
        status: 200,
        type: 'text/html; charset=utf-8',
      });
      const others = page.startsWith('/docs/guide') ? SEARCHING : '';
      expect(headers['content-security-policy']).toBe(policyOf(text, others));
      expect(headers['cache-control']).toBe('public, max-age=300');
      const tags = tagsOf(text).replaceAll(/<img src="\/covers\/[a-z-]+\.svg" alt="" loading="\w+" \/>/g, '');
      expect(tags).not.toMatch(/<(script|img|link|iframe|form)| (style|src|on[a-z]+)=/);
    },
  );

  it('no page has a broken link', async () => {
    const texts = await Promise.all(
      ['/', '/docs', '/docs/guide', ...GUIDE, '/docs/errors'].map((page) => api.http.get(page)),
    );
    const idsOf = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]!);
    const { text: reference } = await api.http.get('/docs');
    const idsOfReference = new Set(idsOf(reference));
    for (const { text } of texts) {
      const links = [...text.matchAll(/href="([^"]+)"/g)].map((match) => match[1]!);
      const ids = idsOf(text);
      const known = new Set(ids);
      expect(known.size).toBe(ids.length);
      const anchors = links.filter((link) => link.startsWith('#')).map((link) => link.slice(1));
      expect(anchors.filter((anchor) => !known.has(anchor))).toEqual([]);
      const ours = links
        .map((link) => link.replace('https://api.example.test', ''))
        .filter((link) => link.startsWith('/'));
      for (const link of new Set(ours)) {
        const [address, anchor] = link.split('#') as [string, string?];
        const target = anchor === undefined ? await api.http.head(address) : await api.http.get(address);
        expect(target.status).toBe(200);
        if (anchor === undefined) continue;
        const there = address === '/docs' ? idsOfReference : new Set(idsOf(target.text));
        expect({ link, isThere: there.has(anchor) }).toEqual({ link, isThere: true });
      }
      const pictures = [...text.matchAll(/<img src="([^"]+)"/g)].map((match) => match[1]!);
      for (const picture of pictures) expect((await api.http.head(picture)).status).toBe(200);
    }
  });

  it('each page of the guide leads to the previous and the next one, and the last one to the reference', async () => {
    const pages = await Promise.all(GUIDE.map((page) => api.http.get(page)));
    const linksTo = (rel: string) =>
      pages.map(({ text }) => new RegExp(`<a rel="${rel}" href="([^"]+)"`).exec(text)?.[1]);
    expect(linksTo('next')).toEqual([...GUIDE.slice(1), '/docs']);
    expect(linksTo('prev')).toEqual([undefined, ...GUIDE.slice(0, -1)]);
  });

  it('the guide has a page for each file of docs/guide, with its title, and its links lead to its headings', async () => {
    const files = readdirSync(path.resolve(__dirname, '../../docs/guide'));
    expect(files.map((file) => `/docs/guide/${file.replace('.md', '')}`).sort()).toEqual(GUIDE.toSorted());
    const titles: string[] = [];
    for (const page of GUIDE) {
      const { text } = await api.http.get(page);
      titles.push(...[...text.matchAll(/<h1[^>]*>(.*?)<\/h1>/g)].map(([, title]) => title!));
      expect(text).not.toMatch(/href="[^"]*[.]md/);
      expect(text.replace(/<(pre|script|code)[^>]*>[^]*?<\/\1>/g, '')).not.toContain('](');
    }
    expect(titles).toEqual([
      'Sell on your page',
      'The proxy on your site',
      'First booking',
      'Selling',
      'Webhooks',
      'The widget',
      'Connect an OCTO reseller',
    ]);
    const { text } = await api.http.get('/docs/guide/first-booking');
    expect(text).toContain('<a href="/docs/guide/selling#several-departures-a-day">a time</a>');
  });

  it('the first page of the guide has each page with its sections, at the anchors that the guide had as one page', async () => {
    const { text } = await api.http.get('/docs/guide');
    const addresses = [...text.matchAll(/<h2[^>]*><a href="([^"]+)"/g)].map(([, address]) => address);
    expect(addresses).toEqual(GUIDE);
    expect(text).toContain('<h2 id="first-booking"><a href="/docs/guide/first-booking">First booking</a>');
    expect(text).toContain('<li id="holds"><a href="/docs/guide/selling#holds">Holds</a>');
  });

  it('the links of the pages contain the path below which the service is published', async () => {
    const published = await startTestApi({ publicBaseUrl: 'https://example.test/tours' });
    const { text } = await published.http.get('/docs');
    const guide = (await published.http.get('/docs/guide/first-booking')).text;
    await published.stop();
    expect(text).toContain('href="/tours/docs/guide"');
    expect(guide).toContain('href="/tours/docs/guide/selling#several-departures-a-day"');
    expect(guide).toContain(`data-pages="${GUIDE.map((page) => `/tours${page}`).join(' ')}"`);
    expect(text).toContain('href="/tours/docs/errors/hold_limit_reached"');
    expect(text).toContain('https://example.test/tours/api/tenant/catalog');
    expect(guide).toContain('<a href="https://example.test/tours/docs/errors">');
    expect(text + guide).not.toContain('127.0.0.1:3000');
  });

  it('the reference shows an operation with its path, a request to paste and its errors', async () => {
    const { text } = await api.http.get('/docs');
    expect(text).toContain('<b>POST</b> /api/gateway/tours/{id_or_slug}/hold');
    expect(text).toContain('https://api.example.test/api/gateway/tours/ha-long-bay-cruise/hold');
    expect(text).toContain('href="/docs/errors/hold_limit_reached"');
  });

  it('the reference names the deprecated ways to send a credential, and shows no backtick', async () => {
    const { text } = await api.http.get('/docs');
    for (const name of ['api_key', 'x-svc-widget-token'])
      expect(text).toContain(`<code>${name}</code> <span class="mark">deprecated</span>`);
    const prose = text.replace(/<(pre|script)[^>]*>[^]*?<\/\1>/g, '');
    expect(prose.match(/.{0,40}(`|&#96;).{0,40}/g)).toBeNull();
  });

  it('the reference has an address for a parameter, and for fields of bodies, answers and webhooks', async () => {
    const { text } = await api.http.get('/docs');
    for (const id of [
      'checkAvailability.departure_date',
      'placeHold.Idempotency-Key',
      'createBooking.body.travellers',
      'createBooking.201.price_breakdown.categories.total',
      'listTours.200.items.slug',
      'bookingCreated.body.customer.email',
      'departureUpdated.body.changed',
      'Webhooks.webhook-signature',
    ])
      expect(text).toContain(`<a id="${id}">`);
  });

  it('the reference lists a parameter and an error that all calls of a section have only once', async () => {
    const { text } = await api.http.get('/docs');
    const octo = text.slice(text.indexOf('<h2 id="OCTO">'), text.indexOf('<h2 id="Widget">'));
    expect(octo.match(/>Octo-Env</g)).toHaveLength(1);
    expect(octo.match(/<code>RATE_LIMITED<\/code>/g)).toHaveLength(1);
    const calls = octo.match(/<article>/g)!.length;
    expect(octo.match(/href="#OCTO\.every-call"/g)).toHaveLength(calls);
    expect(text).toContain('id="OCTO.every-call"');
  });

  it('the reference shows each operation as a valid Node program, and the program for the catalog runs', async () => {
    const { text } = await api.http.get('/docs');
    const samples = [
      ...text.matchAll(
        /The same in Node<\/summary>\s*<noscript>\s*<div class="code">\s*<pre[^>]*><code>([^]*?)<\/code>/g,
      ),
    ].map(([, code]) => unescaped(code!));
    expect(samples).toHaveLength([...text.matchAll(/<h4>Request<\/h4>/g)].length);
    const Program = Object.getPrototypeOf(async () => {}).constructor as FunctionConstructor;
    // Compiles each program: `new` throws a SyntaxError for invalid code.
    for (const sample of samples) new Program(sample);

    const website = await givenWebsite(api);
    const listTours = samples.find((sample) => sample.includes('/api/tenant/catalog`'))!;
    const shown: unknown[] = [];
    const run = new Program('process', 'console', listTours.replace('https://api.example.test', api.baseUrl));
    const KEY = website.authorization.slice('Bearer '.length);
    await run({ env: { KEY } }, { log: (answer: unknown) => shown.push(answer) });
    expect(shown).toEqual([{ items: [], next_cursor: null }]);
  });
});

/** Returns the text of highlighted code. */
function unescaped(text: string): string {
  const characters = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&#96;': '`', '&amp;': '&' };
  return text
    .replace(/<\/?(b|i|u|em|small)>/g, '')
    .replace(/&(lt|gt|quot|#39|#96|amp);/g, (entity) => characters[entity as keyof typeof characters]);
}

describe('the page of a missing address', () => {
  const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

  it.each(['/nothing', '/docs/nothing', '/docs/errors/nope', '/openapi.yaml'])(
    'a missing address answers 404 to a browser with a page that searches the documents: %s',
    async (path) => {
      const { status, headers, text } = await api.http.get(path).set({ accept: BROWSER });
      expect(status).toBe(404);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': policyOf(text, SEARCHING),
        vary: expect.stringContaining('Accept'),
      });
      expect(text).toContain(`data-pages="${['/docs', ...GUIDE].join(' ')}"`);
      expect(tagsOf(text)).not.toMatch(/<(script|img|link|iframe|form)| (style|src|on[a-z]+)=/);
    },
  );

  it.each([
    ['/docs/nothing', '*/*'],
    ['/docs/nothing', 'application/json'],
    ['/api/nothing', BROWSER],
    ['/octo/nothing', 'application/json'],
  ])('%s answers with JSON to a client that accepts %s', async (path, accept) => {
    const { status, headers } = await api.http.get(path).set({ accept });
    expect(status).toBe(404);
    expect(headers['content-type']).toMatch(/json/);
  });

  it('a page answers another method with a problem document', async () => {
    expectProblem(await api.http.post('/docs').set({ accept: BROWSER }), 405, 'method_not_allowed');
  });
});

describe('a fixed document', () => {
  const MOST: [path: string, bytes: number][] = [
    ['/docs', 70_000],
    ['/docs/guide', 10_000],
    ['/docs/guide/sell-on-your-page', 12_000],
    ['/docs/guide/selling', 14_000],
    ['/docs/errors', 7_500],
    ['/docs/errors/price_changed', 7_500],
    ['/', 9_800],
    ['/openapi.json', 40_000],
    ['/openapi.3.1.json', 45_000],
    ['/openapi.d.ts', 38_000],
    ['/embed/widget.js', 5_200],
    ['/embed/booking.js', 40_000],
    ['/covers/ha-long-bay-cruise.svg', 2_500],
  ];

  it.each(MOST)('the service compresses %s to less than %d bytes for a browser', async (path, bytes) => {
    const response = await fetch(api.baseUrl + path, { headers: { 'accept-encoding': 'gzip, deflate, br' } });
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(Number(response.headers.get('content-length'))).toBeLessThan(bytes);
    await response.arrayBuffer();
  });
});

describe('/favicon.ico', () => {
  it('/favicon.ico answers with a small icon that browsers keep for a day', async () => {
    const { status, headers } = await api.http.get('/favicon.ico').buffer(true);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'image/x-icon',
      'cache-control': 'public, max-age=86400',
    });
    expect((await api.http.get('/favicon.ico').set('if-none-match', headers.etag!)).status).toBe(304);
  });
});

describe('the root address of the service', () => {
  const ask = (accept: string) => api.http.get('/').set({ accept });

  it('the root address of the service answers a browser, and a client that accepts any type, with a page', async () => {
    for (const accept of ['text/html,application/xhtml+xml,*/*;q=0.8', '*/*', 'image/png']) {
      const { status, headers, text } = await ask(accept);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'public, max-age=300',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.any(String),
        vary: 'Accept, Accept-Encoding',
      });
      expect(text).toContain('href="/docs/guide/first-booking">Book from your own code</a>');
    }
  });

  it('the root address of the service shows the tag that sells, with the address of its script', async () => {
    const { text } = await ask('text/html');
    const [first] = [...text.matchAll(/<pre[^>]*><code>([^]*?)<\/code>/g)].map(([, code]) =>
      unescaped(code!),
    );
    expect(first).toBe(
      '<script type="module" src="https://api.example.test/embed/booking.v1.js"></script>\n' +
        '<tour-booking tour="ha-long-bay-cruise" api="/tours" next="/pay"></tour-booking>',
    );
    expect(text).toMatch(/class="ways">\s*<li>\s*<a href="\/docs\/guide\/sell-on-your-page">/);
  });

  it('the root address of the service shows a request that works as it is pasted, and its answer', async () => {
    const { text } = await ask('text/html');
    const [, command, answer] = [...text.matchAll(/<pre[^>]*><code>([^]*?)<\/code>/g)].map(([, code]) =>
      unescaped(code!),
    );
    const pasted = command!.replace('https://api.example.test', api.baseUrl);
    const { stdout } = await promisify(execFile)('sh', ['-c', pasted]);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(answer!));
  });

  it('the root address of the service answers a client that accepts JSON with the addresses that need no credential', async () => {
    const { status, headers, body } = await ask('application/json');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      vary: 'Accept, Accept-Encoding',
    });
    const { origin } = new URL(body.links.openapi);
    expect(origin).toBe('https://api.example.test');
    for (const link of Object.values<string>(body.links)) {
      expect((await api.http.get(link.slice(origin.length))).status).toBe(200);
    }
    const paths = Object.values<string>(body.links).map((link) => link.slice(origin.length));
    expect(paths.sort()).toEqual([
      '/docs',
      '/docs/errors',
      '/docs/guide',
      '/embed/booking.js',
      '/embed/widget.js',
      '/healthz',
      '/openapi.3.1.json',
      '/openapi.d.ts',
      '/openapi.json',
      '/readyz',
    ]);
  });

  it('the root address of the service answers HEAD like GET, and 405 to other methods', async () => {
    // The client asks for a compressed answer to GET only.
    const plain = { accept: 'text/html', 'accept-encoding': 'identity' };
    const [head, get] = [await api.http.head('/').set(plain), await api.http.get('/').set(plain)];
    expect([head.status, head.text]).toEqual([200, undefined]);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    const post = await api.http.post('/');
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

describe('the page of an error code', () => {
  it.each(CODES)('the page of an error code says what to do about %s', async (code) => {
    const { status, text } = await api.http.get(`/docs/errors/${code}`);
    expect(status).toBe(200);
    expect(text).toContain(`<h1><code>${code}</code></h1>`);
    expect(text).toContain(`<dd>${PROBLEMS[code].status}</dd>`);
    expect(text).toContain(`https://api.example.test/docs/errors/${code}`);
  });

  it('the page of an error code names the calls that answer with the code, with links to the reference', async () => {
    const { text } = await api.http.get('/docs/errors/insufficient_seats');
    const links = [...text.matchAll(/href="\/docs#(\w+)"/g)].map(([, call]) => call);
    expect(links).toEqual(['placeHold', 'changeHold', 'createBooking', 'changeBooking', 'confirmBooking']);
  });

  it('the type of a real refusal leads to the page of its error code', async () => {
    const refusal = await api.http.get('/api/tenant/catalog');
    const page = await api.http.get(new URL(refusal.body.type).pathname);
    expect(page.status).toBe(200);
  });

  it.each(['nope', 'toString', 'Price_changed', '%3Cscript%3E'])(
    'the page of an error code answers 404 for the unknown code %s',
    async (code) => {
      expectProblem(await api.http.get(`/docs/errors/${code}`), 404, 'not_found');
    },
  );
});

describe('the colours of code', () => {
  it('JSON has colours for names, texts and numbers, and hostile text in it stays escaped', () => {
    expect(toHtml(highlight('{ "a": "<b>", "n": 1.5 }', 'json'))).toBe(
      '{ <b>&quot;a&quot;</b>: <i>&quot;&lt;b&gt;&quot;</i>, <b>&quot;n&quot;</b>: <u>1.5</u> }',
    );
  });

  it.each(['json', 'sh', 'js', 'html', 'python', 'ruby', 'php', 'go', 'unknown'])(
    'the text of code in %s stays the same',
    (language) => {
      const code = `// a 'b'\n# "c" \\\n<d e="f">&amp;</d> const x = \`y\` -H 'z' 12 null /* g */ "open`;
      expect(unescaped(toHtml(highlight(code, language)))).toBe(code);
    },
  );
});

describe('the Markdown of documentation texts', () => {
  it('the Markdown of documentation texts is escaped', () => {
    const hostile = '<img src=x onerror=alert(1)> & "quoted"';
    const source = `# ${hostile}\n\n${hostile}\n\n- ${hostile}\n\n| ${hostile} |\n|---|\n| \`${hostile}\` |\n\n\`\`\`\n${hostile}\n\`\`\``;
    const text = toHtml(renderMarkdown(source));
    expect(text).not.toContain('<img');
    expect(text.match(/&lt;img/g)).toHaveLength(6);
  });

  it('the Markdown of documentation texts creates no link with another scheme', () => {
    const text = toHtml(renderMarkdown('[go](javascript:alert(1)) ![see](data:image/svg+xml,a)'));
    expect(text.trim()).toBe('<p>[go](javascript:alert(1)) ![see](data:image/svg+xml,a)</p>');
  });
});
