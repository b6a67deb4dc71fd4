import { html, toHtml } from '../../services/platform/html-template';
import { maskEmail, maskName, maskPhone } from '../../services/platform/forms/text-forms';
import {
  addHistograms,
  percentile,
} from '../../services/webhook-queue/monitor/queries/stats-history.repository';
import { maskBody } from '../../services/webhook-queue/monitor/pages/delivery-page';
import { type DeliverySituation, nextStep } from '../../services/webhook-queue/monitor/pages/next-step';
import {
  formatAge,
  formatCount,
  formatCountUpTo,
  formatMilliseconds,
  formatPercent,
  formatRelative,
} from '../../services/webhook-queue/monitor/pages/formats';
import {
  parseDeliveriesQuery,
  parseEndpointsQuery,
  parseOverviewQuery,
  parseReplayQuery,
} from '../../services/webhook-queue/monitor/queries/read-query';

const NOW = new Date('2026-11-20T12:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

describe('a percentile of counts by powers of two', () => {
  it('percentile returns null where nothing was counted', () => {
    expect(percentile([], 0.5)).toBeNull();
    expect(percentile([0, 0, 0], 0.95)).toBeNull();
  });

  it('a percentile lies within its bin', () => {
    // A histogram of a hundred durations: ten below 1 ms, eighty of 4 to 8 ms, and ten of 512 to 1024 ms.
    const histogram = [10, 0, 0, 80, 0, 0, 0, 0, 0, 0, 10];
    expect(percentile(histogram, 0.05)).toBeLessThan(1);
    expect(percentile(histogram, 0.5)).toBeGreaterThanOrEqual(4);
    expect(percentile(histogram, 0.5)).toBeLessThan(8);
    expect(percentile(histogram, 0.95)).toBeGreaterThanOrEqual(512);
    expect(percentile(histogram, 0.95)).toBeLessThan(1024);
    expect(percentile(histogram, 1)).toBe(1024);
  });

  it('a percentile lies within a factor of two of the measured value', () => {
    const times = Array.from({ length: 1000 }, (_, n) => 1 + ((n * 7919) % 4000));
    const histogram = times.reduce<number[]>((counts, ms) => {
      const bin = Math.floor(Math.log2(ms)) + 1;
      return addHistograms(counts, [...Array<number>(bin).fill(0), 1]);
    }, []);
    const sorted = times.sort((a, b) => a - b);
    for (const share of [0.1, 0.5, 0.9, 0.95, 0.99]) {
      const ratio = percentile(histogram, share)! / sorted[Math.ceil(share * 1000) - 1]!;
      expect(ratio).toBeGreaterThan(0.5);
      expect(ratio).toBeLessThan(2);
    }
  });

  it('addHistograms adds histograms of different lengths', () => {
    expect(addHistograms([1, 2], [0, 1, 0, 5])).toEqual([1, 3, 0, 5]);
  });
});

describe('masked personal data', () => {
  it.each([
    [maskName, 'Zoë “Ö” Müller', 'Z… “… M…'],
    [maskName, '  ', '…'],
    [maskName, '王小明', '王…'],
    [maskPhone, '+37120000000', '+37…00'],
    [maskPhone, '020 123 456', '02…56'],
    [maskPhone, '+112', '…'],
    [maskEmail, 'zoe@example.com', 'z…@e….com'],
    [maskEmail, 'a@b@c.co.uk', 'a…@c….uk'],
    [maskEmail, 'nobody', '…'],
  ])('masking with %p turns %s into %s', (mask, text, masked) => {
    expect(mask(text)).toBe(masked);
  });

  it('maskBody masks the customer in each format, and changes nothing else', () => {
    const customer = { name: 'Zoë Müller', phone: '+37120000000', email: 'zoe@example.com' };
    const masked = { name: 'Z… M…', phone: '+37…00', email: 'z…@e….com' };
    const fields = { booking_ref: 'ACME-1', customer, total_price: 10.5 };
    expect(maskBody(JSON.stringify(fields))).toBe(JSON.stringify({ ...fields, customer: masked }));
    expect(maskBody(JSON.stringify({ type: 'booking.created', data: fields }))).toBe(
      JSON.stringify({ type: 'booking.created', data: { ...fields, customer: masked } }),
    );
  });

  it('maskBody masks a customer of an unexpected form, and keeps null', () => {
    expect(maskBody('{"customer":{"name":null,"passport":"X1","phone":{"a":"+371"}}}')).toBe(
      '{"customer":{"name":null,"passport":"…","phone":"…"}}',
    );
    expect(maskBody('{"customer":"Zoe","list":[{"customer":{"name":"Zoe"}}]}')).toBe(
      '{"customer":"…","list":[{"customer":{"name":"Z…"}}]}',
    );
    expect(maskBody('{"customer":null}')).toBe('{"customer":null}');
    expect(maskBody('Zoe Müller')).toBe('…');
  });
});

describe('a delivery says what happens next', () => {
  const endpoint = { status: 'active', statusReason: null, blockedUntil: null } as const;
  const waiting: DeliverySituation = {
    now: NOW,
    status: 'retrying',
    tenant: 'acme',
    attempts: 2,
    createdAt: later(-600),
    finishedAt: null,
    nextAttemptAt: later(240),
    lastError: 'The receiver answered 503.',
    endpoint,
    lease: null,
  };
  const sentence = (prospect: Partial<DeliverySituation>) => {
    const text = toHtml(html`${nextStep({ ...waiting, ...prospect }).sentence}`);
    return text
      .replace(/<[^>]*>/g, '')
      .replace(/\s+/g, ' ')
      .trim();
  };

  it.each<[string, Partial<DeliverySituation>, string]>([
    [
      'a later try',
      {},
      'The receiver answered 503. Attempt 3 is sent at 20 Nov 2026, 12:04:00 UTC (in 4 min).',
    ],
    [
      'a first try that is due',
      { status: 'pending', attempts: 0, nextAttemptAt: NOW, lastError: null },
      'The first attempt is due now: it is sent as soon as a worker has a free slot for its endpoint.',
    ],
    [
      'an open breaker',
      { endpoint: { ...endpoint, blockedUntil: later(300) } },
      'The endpoint failed too often. We pause sending until 20 Nov 2026, 12:05:00 UTC (in 5 min). Then one request at a time tests the endpoint.',
    ],
    [
      'a try that is due after the breaker',
      { endpoint: { ...endpoint, blockedUntil: later(60) } },
      'The receiver answered 503. Attempt 3 is sent at 20 Nov 2026, 12:04:00 UTC (in 4 min).',
    ],
    [
      'a paused endpoint',
      { endpoint: { ...endpoint, status: 'paused' } },
      'Waits: its endpoint is paused. The next attempt stays at 20 Nov 2026, 12:04:00 UTC, if the endpoint is resumed before.',
    ],
    [
      'a paused endpoint, with an attempt that is due',
      { endpoint: { ...endpoint, status: 'paused' }, nextAttemptAt: later(-60) },
      'Waits: its endpoint is paused. It is due when the endpoint is resumed.',
    ],
    [
      'a disabled endpoint',
      { endpoint: { ...endpoint, status: 'disabled', statusReason: 'It answered 410.' }, nextAttemptAt: NOW },
      'Waits: its endpoint is disabled. It answered 410. It is due when the endpoint is enabled.',
    ],
    [
      'a missing endpoint',
      { status: 'pending', attempts: 0, endpoint: null, nextAttemptAt: null, lastError: null },
      'Waits for an endpoint: acme has none that takes it. It is sent as soon as one is added: tourctl webhook add acme https://…',
    ],
    [
      'a request in flight',
      { status: 'delivering', lease: { worker: 'w1', since: later(-2), until: later(28) } },
      'Being sent since 20 Nov 11:59:58 by w1, as attempt 3. If that worker is lost, another one takes over after 20 Nov 12:00:28.',
    ],
    [
      'a lost worker',
      { lease: { worker: 'w1', since: later(-60), until: later(-15) } },
      'The worker w1 was lost: its attempt of 20 Nov 11:59:00 may have arrived. A worker records it as lost and sends the delivery again.',
    ],
    [
      'a successful delivery',
      { status: 'delivered', finishedAt: later(-598.8), attempts: 1, lastError: null },
      'Delivered with the first attempt, 1.2 s after its event. Nothing more happens.',
    ],
    [
      'a dead delivery',
      { status: 'dead', attempts: 10, finishedAt: NOW },
      'Given up after 10 attempts. The receiver answered 503. A retry starts the schedule again, with the same webhook-id.',
    ],
  ])('nextStep explains %s', (_, prospect, expected) => {
    expect(sentence(prospect)).toBe(expected);
  });
});

describe('a query of the monitor', () => {
  it('parseDeliveriesQuery turns parameters into a filter', () => {
    expect(
      parseDeliveriesQuery({
        tenant: ' acme ',
        status: 'dead',
        type: 'ping',
        outcome: 'timeout',
        code: '5xx',
        since: '2026-11-20T14:30',
        until: '2026-11-21',
        booking_ref: 'ACME-1042',
        endpoint: 'none',
        other: 'x',
      }),
    ).toMatchObject({
      tenant: 'acme',
      status: 'dead',
      type: 'ping',
      outcome: 'timeout',
      code: [500, 599],
      since: new Date('2026-11-20T14:30:00Z'),
      until: new Date('2026-11-21T00:00:00Z'),
      bookingRef: 'ACME-1042',
      endpoint: 'none',
      issues: {},
    });
    expect(parseDeliveriesQuery({ code: '404' }).code).toEqual([404, 404]);
  });

  it.each([
    ['tenant', 'Acme Tours'],
    ['status', 'done'],
    ['outcome', 'constructor'],
    ['type', 'booking.lost'],
    ['code', '600'],
    ['code', '99'],
    ['since', 'yesterday'],
    ['since', '2026-02-31'],
    ['until', '2026-11-20T24:00'],
    ['endpoint', '42'],
    ['before', "' or 1=1"],
    ['booking_ref', 'a\u0000b'],
  ])('a query of the monitor drops an invalid %s (%j) and names it', (field, value) => {
    const query = parseDeliveriesQuery({ [field]: value });
    expect(Object.keys(query.issues)).toEqual([field]);
    expect(query.given).toEqual({ [field]: value });
    const read: Record<string, unknown> = { ...query, given: undefined, issues: undefined };
    expect(Object.values(read).filter((part) => part !== undefined)).toEqual([]);
  });

  it('the queries of the monitor have defaults', () => {
    expect(parseOverviewQuery({})).toEqual({ range: '24h' });
    expect(parseOverviewQuery({ range: '7d' })).toEqual({ range: '7d' });
    expect(parseOverviewQuery({ range: 'toString' })).toEqual({ range: '24h' });
    expect(parseReplayQuery({}).status).toBe('dead');
    expect(parseReplayQuery({ status: 'pending' }).issues).toHaveProperty('status');
    expect(parseEndpointsQuery({ status: 'breaker' }).status).toBe('breaker');
  });
});

describe('numbers and times', () => {
  it('counts have commas between thousands, and a plus sign if counting stopped at the limit', () => {
    expect([0, 999, 1000, 1234567].map(formatCount)).toEqual(['0', '999', '1,000', '1,234,567']);
    expect([formatCountUpTo(10_000, 10_000), formatCountUpTo(10_001, 10_000)]).toEqual(['10,000', '10,000+']);
  });

  it('formatPercent rounds no part below the total to 100 %, and shows a dash for a total of zero', () => {
    expect(formatPercent(99_999, 100_000)).toBe('99.9 %');
    expect(formatPercent(7, 7)).toBe('100 %');
    expect(formatPercent(0, 0)).toBe('–');
  });

  it.each([
    [0.4, '< 1 ms'],
    [999, '999 ms'],
    [999.7, '1 s'],
    [1234, '1.2 s'],
    [15_000, '15 s'],
    [240_000, '4 min'],
    [7_800_000, '2 h 10 min'],
    [7 * 86_400_000, '7 d'],
  ])('formatMilliseconds turns %s ms into %s', (ms, text) => {
    expect(formatMilliseconds(ms)).toBe(text);
  });

  it('formatRelative and formatAge write times relative to now', () => {
    expect(formatRelative(later(240), NOW)).toBe('in 4 min');
    expect(formatRelative(later(-5), NOW)).toBe('5 s ago');
    expect(formatRelative(later(0.2), NOW)).toBe('now');
    expect(formatAge(later(-39 * 86_400 - 80_000), NOW)).toBe('39 d');
  });
});
