import { canonicalOrigin } from '../../services/api/tenants/origins';
import { OriginRefusedError } from '../../services/api/tenants/tenant.errors';

describe('an allowed origin', () => {
  it.each([
    ['https://shop.example', 'https://shop.example'],
    ['https://www.shop.example', 'https://www.shop.example'],
    ['shop.vn', 'https://shop.vn'],
    ['shop.vn:8443', 'https://shop.vn:8443'],
    ['https://shop.vn/', 'https://shop.vn'],
    ['https://shop.vn:443', 'https://shop.vn'],
    ['https://shop.vn:443/', 'https://shop.vn'],
    ['https://shop.vn:8443', 'https://shop.vn:8443'],
    ['https://shop.vn:65535', 'https://shop.vn:65535'],
    ['HTTPS://Shop.VN', 'https://shop.vn'],
    ['https://münchen.de', 'https://xn--mnchen-3ya.de'],
    ['Đà-nẵng.vn', 'https://xn---nng-zna70au54p.vn'],
    ['https://xn--mnchen-3ya.de', 'https://xn--mnchen-3ya.de'],
    ['https://shop。com', 'https://shop.com'],
    ['https://ｓｈｏｐ.com', 'https://shop.com'],
    ['https://acme.github.io', 'https://acme.github.io'],
    ['https://acme.co.uk', 'https://acme.co.uk'],
  ])('the platform stores %s as %s, the form that a browser sends', (given, kept) => {
    expect(canonicalOrigin(given)).toBe(kept);
  });

  it('the stored form of an origin is the origin of its URL', () => {
    for (const given of ['münchen.de', 'https://Straße.de:8443', 'https://shop.vn:443', '日本.jp']) {
      const kept = canonicalOrigin(given);
      expect(new URL(kept).origin).toBe(kept);
    }
  });

  it('a stored origin does not change when it is normalized again', () => {
    expect(canonicalOrigin(canonicalOrigin('MÜNCHEN.de:8443/'))).toBe('https://xn--mnchen-3ya.de:8443');
  });
});

describe('an origin that is not allowed', () => {
  it.each([
    ['an empty text', '', /empty/],
    ['a blank', ' ', /blank/],
    ['the wildcard', '*', /wildcard/],
    ['a wildcard label', 'https://*.shop.vn', /wildcard/],
    ['a wildcard inside', 'https://sh*p.vn', /wildcard/],
    ['null', 'null', /null/],
    ['NULL', 'NULL', /null/],
    ['http', 'http://shop.vn', /https:\/\/shop\.vn/],
    ['another scheme', 'ftp://shop.vn', /https:\/\/shop\.vn/],
    ['a script', 'javascript:alert(1)', /port/],
    ['a data address', 'data:text/html,x', /path/],
    ['a file', 'file:///etc/passwd', /https:/],
    ['no scheme but slashes', '//shop.vn', /path/],
    ['a path', 'https://shop.vn/tours', /path/],
    ['two slashes at the end', 'https://shop.vn//', /path/],
    ['a query', 'https://shop.vn?x=1', /query/],
    ['an empty query', 'https://shop.vn?', /query/],
    ['a fragment', 'https://shop.vn#top', /query or fragment/],
    ['a user', 'https://user@shop.vn', /user name/],
    ['a user and password', 'https://user:pw@shop.vn', /user name/],
    ['a backslash before a user', 'https://shop.vn\\@evil.example', /backslash/],
    ['a tab inside', 'https://exam\tple.com', /blank/],
    ['a line break', 'https://shop.vn\n', /blank/],
    ['a zero width space', 'https://sh\u200bop.vn', /invisible/],
    ['an escape', 'https://ex%61mple.com', /escape/],
    ['a trailing dot', 'https://shop.vn.', /trailing dot.*https:\/\/shop\.vn/],
    ['a trailing ideographic dot', 'https://shop.vn。', /trailing dot/],
    ['port 0', 'https://shop.vn:0', /port/],
    ['a port too high', 'https://shop.vn:65536', /port/],
    ['a port with a leading zero', 'https://shop.vn:0443', /port/],
    ['an empty port', 'https://shop.vn:', /port/],
    ['a port of letters', 'https://shop.vn:https', /port/],
    ['two ports', 'https://shop.vn:1:2', /port/],
    ['an IPv4 address', 'https://127.0.0.1', /IP address/],
    ['a public IPv4 address', 'https://93.184.216.34', /IP address/],
    ['an IPv4 address as one number', 'https://2130706433', /IP address/],
    ['an IPv4 address in hexadecimal', 'https://0x7f.1', /IP address/],
    ['an IPv4 address in octal', 'https://0177.0.0.1', /IP address/],
    ['a short IPv4 address', 'https://127.1', /IP address/],
    ['an IPv4 address in full-width digits', 'https://１２７.０.０.１', /IP address/],
    ['something that ends in a number', 'https://shop.1', /IP address|not a domain/],
    ['an IPv6 address', 'https://[::1]', /IP address/],
    ['an IPv6 address with a port', 'https://[2001:db8::1]:8443', /IP address/],
    ['a public suffix', 'https://com', /suffix/],
    ['a public suffix of two labels', 'https://co.uk', /suffix/],
    ['a private suffix', 'https://github.io', /suffix/],
    ['another private suffix', 'vercel.app', /suffix/],
    ['a machine name', 'https://intranet', /suffix/],
    ['an apostrophe', "https://ex'ample.com", /labels/],
    ['a comma', 'https://a,b', /labels/],
    ['a semicolon', 'https://shop.vn;frame-ancestors', /labels/],
    ['two sites', 'https://shop.vn,https://evil.example', /path|port/],
    ['an underscore', 'https://my_shop.vn', /labels/],
    ['a leading dash', 'https://-shop.vn', /labels|not a domain/],
    ['an empty label', 'https://shop..vn', /labels|not a domain/],
    ['a leading dot', 'https://.shop.vn', /labels|not a domain/],
    ['a label too long', `https://${'a'.repeat(64)}.vn`, /labels|not a domain/],
    ['a name too long', `https://${'abcdefghi.'.repeat(26)}vn`, /labels|not a domain/],
    ['no domain', 'https://', /missing/],
    ['only a port', ':8443', /missing/],
    ['broken punycode', 'https://xn--a', /not a domain|suffix/],
    ['a name below localhost', 'https://foo.localhost', /own machine.*http:\/\/localhost:3000.*--dev/],
    ['a name in a private network', 'https://a.b.internal', /\.internal is reserved/],
    ['a private suffix of its own', 'https://internal', /\.internal is reserved/],
    ['a name of multicast DNS', 'https://printer.local', /\.local is reserved/],
    ['a name in a home', 'https://nas.home.arpa', /\.home\.arpa is reserved/],
    ['a name for tests', 'https://shop.test', /\.test is reserved/],
    ['a name that is never valid', 'https://shop.invalid', /\.invalid is reserved/],
    ['a name of the Tor network', 'https://shop.onion', /\.onion is reserved/],
    ['a name outside the domain name system', 'https://shop.alt', /\.alt is reserved/],
    [
      'a reserved name in capitals and full-width letters',
      'https://A.ＩＮＴＥＲＮＡＬ',
      /\.internal is reserved/,
    ],
    ['http on loopback', 'http://127.0.0.1:3000', /IP address.*http:\/\/localhost:3000.*--dev/],
    [
      'localhost with its port',
      'http://localhost:3000',
      /^[^,]*: add --dev, which a tenant on trial may use$/,
    ],
    ['localhost without its port', 'http://localhost', /--dev/],
    ['localhost over https', 'https://localhost:3000', /--dev/],
    ['bare localhost', 'localhost', /--dev/],
  ])('the check of origins refuses %s and names the reason', (_, given, reason) => {
    expect(() => canonicalOrigin(given)).toThrow(OriginRefusedError);
    expect(() => canonicalOrigin(given)).toThrow(reason);
  });
});

describe('the reason of a refusal', () => {
  it.each([
    ['*', ['https://shop.example', 'https://www.shop.example']],
    ['https://*.shop.vn', ['https://shop.vn', 'https://www.shop.vn']],
    ['*.shop.vn', ['https://shop.vn', 'https://www.shop.vn']],
    ['https://*.github.io', ['https://shop.example', 'https://www.shop.example']],
    ['null', ['https://shop.example']],
    ['', ['https://shop.example']],
    ['http://shop.vn', ['https://shop.vn']],
    ['http://Shop.VN:8080', ['https://shop.vn']],
    ['ftp://shop.vn/tours', ['https://shop.vn']],
    ['https://shop.vn/tours', ['https://shop.vn']],
    ['https://shop.vn:8443/tours?x=1', ['https://shop.vn:8443']],
    ['https://shop.vn:443/tours', ['https://shop.vn']],
    ['münchen.de/touren', ['https://xn--mnchen-3ya.de']],
    ['https://shop.vn?x=1', ['https://shop.vn']],
    ['https://shop.vn#top', ['https://shop.vn']],
    ['https://user:pw@shop.vn', ['https://shop.vn']],
    ['https://shop.vn\\@evil.example', ['https://shop.example']],
    ['https://shop.vn\n', ['https://shop.vn']],
    ['https://sh\u200bop.vn', ['https://shop.vn']],
    ['https://ex%61mple.com', ['https://münchen.example']],
    ['https://shop.vn.', ['https://shop.vn']],
    ['https://shop.vn:0', ['https://shop.vn']],
    ['https://shop.vn:1:2', ['https://shop.vn']],
    ['https://2130706433', ['https://shop.example', 'http://localhost:3000']],
    ['https://0x7f.1', ['https://shop.example', 'http://localhost:3000']],
    ['https://93.184.216.34', ['https://shop.example']],
    ['https://[::1]:3000', ['https://shop.example', 'http://localhost:3000']],
    ['https://[2001:db8::1]', ['https://shop.example']],
    ['https://com', ['https://shop.com']],
    ['https://co.uk', ['https://shop.co.uk']],
    ['https://github.io', ['https://shop.github.io']],
    ["https://ex'ample.com", ['https://shop.example']],
    ['https://a,b', ['https://shop.example']],
    ['https://', ['https://shop.example']],
    ['https://localhost:3000', ['http://localhost:3000']],
    ['http://foo.localhost:3000', ['http://localhost:3000']],
    ['https://a.b.internal', ['https://shop.example']],
    ['https://a.b.internal/tours', ['https://shop.example']],
  ])('the refusal of an origin names an allowed origin to write instead of %j', (given, instead) => {
    const reason = reasonFor(given);
    const written = reason.match(/https?:\/\/[^\s,]+/g) ?? [];
    expect(written).toEqual(instead);
    for (const origin of written) {
      expect(() => canonicalOrigin(origin, { dev: origin.startsWith('http:') })).not.toThrow();
    }
  });
});

function reasonFor(given: string): string {
  try {
    canonicalOrigin(given);
  } catch (error) {
    if (error instanceof OriginRefusedError) return error.reason;
  }
  throw new Error(`${given} is not refused`);
}

describe('an origin with --dev', () => {
  it('--dev allows http://localhost with a port', () => {
    expect(canonicalOrigin('http://localhost:3000', { dev: true })).toBe('http://localhost:3000');
  });

  it.each([
    'https://localhost:3000',
    'http://foo.localhost:3000',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://shop.vn',
    '*',
  ])('--dev does not allow %s', (given) => {
    expect(() => canonicalOrigin(given, { dev: true })).toThrow(OriginRefusedError);
  });
});
