import fc from 'fast-check';
import type { Db } from '../../services/platform/database';
import { whyNotPublic } from '../../services/webhook-queue/public-address';
import { showDelivery } from '../../services/webhook-queue/operations';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { add, book, createTenant, hurriedWorker, whenAll } from './queue-fixture';
import { startReceiver, type Receiver } from './receiver';

describe('an address that is called', () => {
  it.each(['8.8.8.8', '1.1.1.1', '2606:4700::1111', '2a00:1450:400f:80d::200e', '::ffff:8.8.8.8'])(
    '%s is public',
    (address) => expect(whyNotPublic(address)).toBeUndefined(),
  );

  it.each([
    ...[
      '127.0.0.1',
      '127.9.9.9',
      '0.0.0.0',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '100.100.100.200',
    ],
    ...[
      '169.254.169.254',
      '168.63.129.16',
      '192.0.0.192',
      '192.0.2.1',
      '198.18.0.1',
      '203.0.113.9',
      '192.88.99.1',
    ],
    ...[
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      '::7f00:1',
      '::5efe:7f00:1',
      '::ffff:127.0.0.1',
    ],
    ...[
      '::ffff:169.254.169.254',
      '::ffff:0:7f00:1',
      '64:ff9b::7f00:1',
      '64:ff9b::808:808',
      '64:ff9b:1::7f00:1',
    ],
    ...[
      '2002:7f00:1::',
      '2001::1',
      '2001:db8::1',
      '3fff::1',
      '4000::1',
      'fc00::1',
      'fd00:ec2::254',
      'fe80::1%eth0',
    ],
    ...['fec0::1', 'ff02::1', '100::1'],
  ])('%s is not public', (address) => expect(whyNotPublic(address)).toBeDefined());

  it('is never an IPv4 address of a private block, however it is dressed as IPv6', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const inside = fc.oneof(
      fc.tuple(fc.constant(10), byte, byte, byte),
      fc.tuple(fc.constant(127), byte, byte, byte),
      fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
      fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
    );
    fc.assert(
      fc.property(inside, ([a, b, c, d]) => {
        const dotted = `${a}.${b}.${c}.${d}`;
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const spellings = [dotted, `::ffff:${dotted}`, `::${hex}`, `64:ff9b::${hex}`, `2002:${hex}::1`];
        return spellings.every((spelling) => whyNotPublic(spelling) !== undefined);
      }),
    );
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
    ['a literal', (port: string) => `https://127.0.0.1:${port}/`, '127.0.0.1 is a loopback address'],
    ['an IPv6 literal', (port: string) => `https://[::ffff:7f00:1]:${port}/`, 'is a loopback address'],
    ['a name that leads to one', (port: string) => `https://localhost:${port}/`, 'localhost is '],
    ['a name that leads nowhere', (port: string) => `https://nothing.invalid:${port}/`, 'does not resolve'],
  ])('refuses %s, names the rule, and connects to nothing', async (_what, url, reason) => {
    const tenantId = await createTenant(db);
    await add(db, tenantId, url(new URL(receiver.url).port));
    await book(db, tenantId);
    const worker = hurriedWorker(db, { allowPrivateTargets: false, retryScheduleSeconds: [0] });
    try {
      const [delivery] = await whenAll(db, tenantId, 'dead');
      const [attempt] = (await showDelivery(db, delivery!.id)).tries;
      expect(attempt).toMatchObject({ status_code: null, reason: expect.stringContaining(reason) });
      expect(receiver.received).toEqual([]);
    } finally {
      await worker.stop();
    }
  });

  it('calls the same name where they are allowed', async () => {
    const tenantId = await createTenant(db);
    await add(db, tenantId, `http://localhost:${new URL(receiver.url).port}/by-name`);
    await book(db, tenantId);
    const worker = hurriedWorker(db);
    await whenAll(db, tenantId, 'delivered');
    await worker.stop();
    expect(receiver.received).toMatchObject([{ path: '/by-name' }]);
  });
});
