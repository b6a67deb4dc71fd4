import { carriesPerson } from '../../services/api/idempotency/operation';

describe('an operation', () => {
  it('has a person in its request if the request names the customer', () => {
    expect([carriesPerson('booking.create'), carriesPerson('hold.place')]).toEqual([true, true]);
    expect([carriesPerson('booking.cancel'), carriesPerson('hold.extend')]).toEqual([false, false]);
  });

  it('counts as one with a person if its name is unknown', () => {
    expect(carriesPerson('booking.make')).toBe(true);
    expect(carriesPerson('toString')).toBe(true);
  });
});
