import { carriesPerson } from '../../services/api/idempotency/operation';

describe('an operation of the API', () => {
  it('has personal data in its request if the request names the customer', () => {
    expect([carriesPerson('booking.create'), carriesPerson('booking.cancel')]).toEqual([true, true]);
    expect([carriesPerson('booking.confirm'), carriesPerson('hold.extend')]).toEqual([false, false]);
  });

  it('counts as one with personal data if its name is unknown', () => {
    expect(carriesPerson('booking.make')).toBe(true);
    expect(carriesPerson('toString')).toBe(true);
  });
});
