import { Resolver } from 'node:dns/promises';
import { BlockList, isIPv4 } from 'node:net';
import fc from 'fast-check';
import type { Db } from '../../services/platform/database/database';
import { parseEndpointUrl, nonPublicReason } from '../../services/webhook-queue/sending/allowed-target';
import { showDelivery } from '../../services/webhook-queue/deliveries/find-deliveries';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { add, book, createTenant, startFastWorker, whenAll } from './queue-fixture';
import { type Receiver, startReceiver } from './receiver';
import { NOT_REACHABLE, SPECIAL_BUT_REACHABLE, toIpv4, toIpv6, toNumber } from './special-addresses';

const block = (cidr: string) => {
  const [base, length] = cidr.split('/') as [string, string];
  const family = isIPv4(base) ? ('ipv4' as const) : ('ipv6' as const);
  return { base, length: Number(length), family };
};

/** Draws a random address of the block. */
const within = (cidr: string) => {
  const { base, length, family } = block(cidr);
  const [bits, write] = family === 'ipv4' ? [32, toIpv4] : [128, toIpv6];
  const host = fc.bigInt({ min: 0n, max: (1n << BigInt(bits - length)) - 1n });
  return host.map((number) => write(toNumber(base) + number));
};
const ipv4 = within('0.0.0.0/0');
const special = new BlockList();
for (const cidr of [...NOT_REACHABLE.map(([one]) => one), ...SPECIAL_BUT_REACHABLE]) {
  const { base, length, family } = block(cidr);
  special.addSubnet(base, length, family);
}

describe('an address that a webhook is sent to', () => {
  it.each(['8.8.8.8', '1.1.1.1', '2606:4700::1111', '2a00:1450:400f:80d::200e', '::ffff:8.8.8.8'])(
    'the address %s is public',
    (address) => expect(nonPublicReason(address)).toBeUndefined(),
  );

  it.each(['168.63.129.16', '100.100.100.200', '169.254.169.254', 'fd00:ec2::254', 'fe80::1%eth0'])(
    'the address %s is not public: cloud metadata or link-local',
    (address) => expect(nonPublicReason(address)).toBeDefined(),
  );

  it.each(NOT_REACHABLE)('an address in %s (%s) is not public', (cidr) => {
    fc.assert(fc.property(within(cidr), (address) => nonPublicReason(address) !== undefined));
  });

  it('an address outside the listed ranges is public', () => {
    const anywhere = fc.oneof(
      ipv4.map((address) => ({ address, family: 'ipv4' as const })),
      within('2000::/3').map((address) => ({ address, family: 'ipv6' as const })),
    );
    const plain = anywhere.filter(({ address, family }) => !special.check(address, family));
    fc.assert(
      fc.property(plain, ({ address }) => nonPublicReason(address) === undefined),
      { numRuns: 1000 },
    );
  });

  it('an IPv4-mapped address is checked as its IPv4 address', () => {
    fc.assert(
      fc.property(ipv4, (address) => {
        const [high, low] = [toNumber(address) >> 16n, toNumber(address) & 65_535n];
        const hex = `${high.toString(16)}:${low.toString(16)}`;
        const mapped = [`::ffff:${address}`, `::ffff:${hex}`, `0:0:0:0:0:FFFF:${hex.toUpperCase()}`];
        return mapped.every((spelling) => nonPublicReason(spelling) === nonPublicReason(address));
      }),
      { numRuns: 500 },
    );
  });

  it('an IPv6 address of a tunnel or a translation is not public', () => {
    fc.assert(
      fc.property(ipv4, ipv4, (address, server) => {
        const hex = (number: bigint) => `${(number >> 16n).toString(16)}:${(number & 65_535n).toString(16)}`;
        const [inside, relay] = [toNumber(address), toNumber(server)];
        const spellings = [
          `::${hex(inside)}`,
          `::ffff:0:${hex(inside)}`,
          `::5efe:${hex(inside)}`,
          `64:ff9b::${hex(inside)}`,
          `64:ff9b:1::${hex(inside)}`,
          `2002:${hex(inside)}::1`,
          `2001:0:${hex(relay)}:8000:63bf:${hex(inside ^ 0xffffffffn)}`,
        ];
        return spellings.every((spelling) => nonPublicReason(spelling) !== undefined);
      }),
    );
  });
});

describe('the URL of an endpoint', () => {
  const LOOPBACKS = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '127.0.0.1.',
    '①②⑦.⓪.⓪.①',
    '１２７.0.0.1',
    '%31%32%37.0.0.1',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[2002:7f00:1::]',
  ];

  it.each(LOOPBACKS)('the check of a URL refuses %s, a spelling of the loopback address', (host) => {
    for (const scheme of ['http', 'https']) {
      expect(() => parseEndpointUrl(`${scheme}://${host}/hook`, false)).toThrow(
        scheme === 'http' ? 'https://' : 'not an IP address',
      );
    }
    const { hostname } = new URL(parseEndpointUrl(`https://${host}/hook`, true));
    expect(nonPublicReason(hostname.replace(/[[\]]/g, ''))).toBeDefined();
  });

  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'printer.local',
    'api.internal',
    'intranet',
  ])('the check of a URL refuses the internal name %s', (host) =>
    expect(() => parseEndpointUrl(`https://${host}/`, false)).toThrow('not a public name'),
  );

  it.each(['user@', ':secret@', 'user:secret@'])('the check of a URL refuses a URL with %s', (login) => {
    expect(() => parseEndpointUrl(`https://${login}example.com/`, true)).toThrow('user name or password');
  });
});

describe('a worker that may not call private targets', () => {
  let database: TestDatabase;
  let db: Db;
  let receiver: Receiver;

  beforeAll(async () => {
    [database, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
    db = database.db;
  });
  afterAll(async () => {
    await receiver.close();
    await database.drop();
  });

  it.each([
    ['http', (port: string) => `http://127.0.0.1:${port}/`, 'The address is not https'],
    ['an IPv4 literal', (port: string) => `https://127.0.0.1:${port}/`, '127.0.0.1 is a loopback address'],
    ['an IPv6 literal', (port: string) => `https://[::ffff:7f00:1]:${port}/`, 'is a loopback address'],
    [
      'an IPv4 address as a number',
      (port: string) => `https://2130706433:${port}/`,
      '127.0.0.1 is a loopback address',
    ],
    ['a NAT64 literal', (port: string) => `https://[64:ff9b::7f00:1]:${port}/`, 'is a NAT64 address'],
    ['a name of a private address', (port: string) => `https://localhost:${port}/`, 'localhost is '],
    [
      'a name that does not resolve',
      (port: string) => `https://nothing.invalid:${port}/`,
      'does not resolve',
    ],
  ])(
    'a worker that may not call private targets refuses %s, names the rule, and connects to nothing',
    async (_what, url, reason) => {
      const tenantId = await createTenant(db);
      await add(db, tenantId, url(new URL(receiver.url).port));
      await book(db, tenantId);
      const worker = startFastWorker(db, { allowPrivateTargets: false, retryScheduleSeconds: [0] });
      try {
        const [delivery] = await whenAll(db, tenantId, 'dead');
        const [attempt] = (await showDelivery(db, delivery!.id)).tries;
        expect(attempt).toMatchObject({ statusCode: null, reason: expect.stringContaining(reason) });
        expect(receiver.received).toEqual([]);
      } finally {
        await worker.stop();
      }
    },
  );

  it('a worker that may not call private targets refuses a name with one public and one private address, in either order', async () => {
    const addresses = ['93.184.215.14', '127.0.0.1'];
    for (const found of [addresses, addresses.toReversed()]) {
      // Replaces only the name service, because no real name has such addresses.
      const resolve4 = jest.spyOn(Resolver.prototype, 'resolve4').mockResolvedValue(found);
      const tenantId = await createTenant(db);
      await add(db, tenantId, `https://both.example:${new URL(receiver.url).port}/`);
      await book(db, tenantId);
      const worker = startFastWorker(db, { allowPrivateTargets: false, retryScheduleSeconds: [0] });
      const [delivery] = await whenAll(db, tenantId, 'dead').finally(() => worker.stop());
      expect((await showDelivery(db, delivery!.id)).tries[0]).toMatchObject({
        outcome: 'blocked',
        reason:
          'both.example resolves to 127.0.0.1, which is a loopback address: only public addresses are allowed, unless ' +
          'WEBHOOK_ALLOW_PRIVATE_TARGETS is on.',
        peer: null,
        signature: null,
      });
      expect(resolve4).toHaveBeenCalledTimes(1);
      resolve4.mockRestore();
    }
    expect(receiver.received).toEqual([]);
  });

  it('a worker that may call private targets sends to a name with a private address', async () => {
    const tenantId = await createTenant(db);
    await add(db, tenantId, `http://localhost:${new URL(receiver.url).port}/by-name`);
    await book(db, tenantId);
    const worker = startFastWorker(db);
    await whenAll(db, tenantId, 'delivered');
    await worker.stop();
    expect(receiver.received).toMatchObject([{ path: '/by-name' }]);
  });
});
