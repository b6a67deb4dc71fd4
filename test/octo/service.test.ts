import { register } from 'prom-client';
import { createMemoryQuotaStore } from '../../services/platform/shared-store/quota-store';
import { useTestApi } from '../support/api';
import { useConformance } from './conformance-api';
import { expectOctoError } from './schemas';

const QUOTAS = { availability: 4, hold: 3, booking: 2, catalog: 5, widget: 9 };
const ID = '01234567-89ab-4cde-8f01-23456789abcd';

const api = useTestApi({ quotas: QUOTAS });
const { reseller } = useConformance(api);
beforeEach(() => {
  api.context.quotas = createMemoryQuotaStore();
});

describe('the quota of a call below /octo', () => {
  it.each([
    ['catalog', 'get', '/octo/supplier'],
    ['catalog', 'get', '/octo/capabilities'],
    ['catalog', 'get', `/octo/products/${ID}`],
    ['catalog', 'get', `/octo/bookings/${ID}`],
    ['catalog', 'get', '/octo/bookings'],
    ['availability', 'post', '/octo/availability'],
    ['availability', 'post', '/octo/availability/calendar'],
    ['hold', 'post', '/octo/bookings'],
    ['booking', 'post', `/octo/bookings/${ID}/extend`],
    ['booking', 'post', `/octo/bookings/${ID}/confirm`],
    ['booking', 'post', `/octo/bookings/${ID}/cancel`],
    ['booking', 'patch', `/octo/bookings/${ID}`],
    ['booking', 'delete', `/octo/bookings/${ID}`],
  ] as const)('the %s quota counts %s %s, and its 429 has OCTO’s form', async (kind, method, path) => {
    const call = async () => api.http[method](path).set({ authorization: reseller.authorization });
    for (let left = QUOTAS[kind] - 1; left >= 0; left--) {
      const { headers, status } = await call();
      expect(status).not.toBe(429);
      expect(headers).toMatchObject({
        'ratelimit-policy': `"${kind}";q=${QUOTAS[kind]};w=60`,
        'ratelimit-remaining': String(left),
      });
    }
    const refused = await call();
    expectOctoError(refused, 429, 'RATE_LIMITED');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });
});

describe('the metrics', () => {
  it('the metrics count a refusal below /octo by its route and problem code', async () => {
    await reseller.get(`/octo/products/${ID}`);
    expect(await register.metrics()).toMatch(
      /http_problems_total\{method="GET",route="\/octo\/products\/:id",code="tour_not_found"\} [1-9]/,
    );
  });
});
