import { carriesPerson } from '../../services/api/idempotency/operation';

describe('an operation of the API', () => {
  it('a request has personal data only if it may name the customer', () => {
    expect([carriesPerson('booking.create'), carriesPerson('booking.cancel')]).toEqual([true, true]);
    expect([carriesPerson('booking.confirm'), carriesPerson('hold.extend')]).toEqual([true, false]);
  });

  it('an unknown operation counts as an operation with personal data', () => {
    expect(carriesPerson('booking.make')).toBe(true);
    expect(carriesPerson('toString')).toBe(true);
  });
});
