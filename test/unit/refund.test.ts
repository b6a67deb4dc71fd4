import fc from 'fast-check';
import {
  floorAt,
  nextRefundChange,
  refundOf,
  refundPercentAt,
  type RefundTerms,
} from '../../services/api/bookings/refund';
import type { DatedTier } from '../../services/api/catalog/cancellation-policy';

const START = Date.UTC(2027, 5, 5, 8);
const MINUTE = 60_000;

/** Tiers whose ends rise and whose shares fall. */
const tiers = fc.uniqueArray(fc.integer({ min: 0, max: 500_000 }), { maxLength: 8 }).chain((minutes) =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: minutes.length, maxLength: minutes.length })
    .map((percents) => {
      percents.sort((a, b) => b - a);
      return minutes
        .sort((a, b) => b - a)
        .map((before, at): DatedTier => ({
          until: `${before}m`,
          at: new Date(START - before * MINUTE).toISOString(),
          refund_percent: percents[at]!,
        }));
    }),
);
const instant = fc
  .integer({ min: -600_000, max: 10_000 })
  .map((minutes) => new Date(START + minutes * MINUTE));
const percent = fc.integer({ min: 0, max: 100 });
const untilPast = fc.integer({ min: 0, max: 1440 }).map((minutes) => new Date(START + minutes * MINUTE));
const NO_FLOOR = { refundFloor: null, floorEndsAt: null };
const floor = fc.oneof(fc.constant(NO_FLOOR), fc.record({ refundFloor: percent, floorEndsAt: untilPast }));
const terms = fc
  .record({
    tiers: fc.option(tiers),
    refundCeiling: percent,
    departureStatus: fc.constant('scheduled' as const),
    totalMinor: fc.integer({ min: 0, max: 1_000_000_000 }),
  })
  .chain((one) => floor.map((other): RefundTerms => ({ ...one, ...other })));

describe('the share that a cancellation refunds', () => {
  it('never rises with time, and is never above the ceiling and the floor together, nor below the floor', () => {
    fc.assert(
      fc.property(terms, instant, instant, (one, a, b) => {
        const [early, late] = a < b ? [a, b] : [b, a];
        const [first, second] = [refundPercentAt(one, early), refundPercentAt(one, late)];
        expect(second ?? 0).toBeLessThanOrEqual(first ?? 0);
        expect(first ?? 0).toBeLessThanOrEqual(Math.max(one.refundCeiling, one.refundFloor ?? 0));
        expect(first ?? 0).toBeGreaterThanOrEqual(floorAt(one, early) ?? 0);
      }),
    );
  });

  it('is that of the tier until just before its end, and that of the next tier at its end', () => {
    fc.assert(
      fc.property(terms, tiers, (one, all) => {
        const free: RefundTerms = { ...one, ...NO_FLOOR, tiers: all, refundCeiling: 100 };
        for (const [index, tier] of all.entries()) {
          const end = new Date(tier.at);
          expect(refundPercentAt(free, new Date(end.getTime() - 1))).toBe(tier.refund_percent);
          expect(refundPercentAt(free, end)).toBe(all[index + 1]?.refund_percent ?? 0);
        }
      }),
    );
  });

  it('stays the same until its next change, and differs from then on', () => {
    fc.assert(
      fc.property(terms, instant, (one, at) => {
        const now = refundPercentAt(one, at);
        const next = nextRefundChange(one, at);
        const unchanged = next === null ? new Date(START + 2 * 1440 * MINUTE) : new Date(next.getTime() - 1);
        expect(refundPercentAt(one, unchanged)).toBe(now);
        fc.pre(next !== null);
        expect(refundPercentAt(one, next)).not.toBe(now);
      }),
    );
  });

  it('is that of the floor until the departure is past, and then that of the policy', () => {
    const past = new Date(START + MINUTE);
    const moved = { refundFloor: 40, floorEndsAt: past, departureStatus: 'scheduled' as const };
    for (const [policy, after] of [
      [[], 0],
      [null, null],
    ] as const) {
      const one: RefundTerms = { ...moved, tiers: policy && [...policy], refundCeiling: 20, totalMinor: 1 };
      const last = new Date(past.getTime() - 1);
      expect([refundPercentAt(one, last), floorAt(one, last)]).toEqual([40, 40]);
      expect([refundPercentAt(one, past), floorAt(one, past)]).toEqual([after, null]);
      expect(nextRefundChange(one, last)).toEqual(past);
    }
  });

  it('is not stated without tiers, and is all of a departure that the operator has cancelled', () => {
    const unstated: RefundTerms = {
      tiers: null,
      refundCeiling: 100,
      ...NO_FLOOR,
      departureStatus: 'scheduled',
      totalMinor: 1,
    };
    expect(refundPercentAt(unstated, new Date())).toBeNull();
    expect(refundPercentAt({ ...unstated, departureStatus: 'cancelled' }, new Date())).toBe(100);
  });
});

describe('the amount of a refund', () => {
  it('is the share of the total, rounded once, half up', () => {
    expect(refundOf(99_999, 50).minor).toBe(50_000);
    expect(refundOf(12_345, 50).minor).toBe(6_173);
    expect(refundOf(1, 49).minor).toBe(0);
    expect(refundOf(Number.MAX_SAFE_INTEGER, 100).minor).toBe(Number.MAX_SAFE_INTEGER);
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 0, max: 100 }), (total, percent) => {
        const { minor } = refundOf(total, percent);
        const error = BigInt(minor) * 100n - BigInt(total) * BigInt(percent);
        expect(error > -50n && error <= 50n).toBe(true);
      }),
    );
  });
});
