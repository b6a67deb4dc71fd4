import { carriesPerson } from '../../services/api/idempotency/operation';

describe('an operation', () => {
  it('has a person in its request where that says who wants to travel', () => {
    expect([carriesPerson('booking.create'), carriesPerson('hold.place')]).toEqual([true, true]);
    expect([carriesPerson('booking.cancel'), carriesPerson('hold.extend')]).toEqual([false, false]);
  });

  it('counts as one with a person in it where its name is not known any more', () => {
    expect(carriesPerson('booking.make')).toBe(true);
    expect(carriesPerson('toString')).toBe(true);
  });
});
