import { PackedList } from '../../services/api/booking-import/packed-list';

describe('a packed list', () => {
  it('returns each value as it was added, also text beyond ASCII and values longer than a page', () => {
    const values = [
      { name: 'Zoë Müller', party: { adult: 2 } },
      { name: '山田', notes: 'x'.repeat(3_000_000) },
      ...Array.from({ length: 5000 }, (_, n) => ({ name: `Ana ${n}`, notes: 'é'.repeat(n % 500) })),
    ];
    const list = new PackedList<object>();
    expect(values.map((value) => list.add(value))).toEqual(values.map((_, n) => n));
    expect(list.size).toBe(values.length);
    const wrong = values.findIndex((value, n) => JSON.stringify(list.get(n)) !== JSON.stringify(value));
    expect(wrong).toBe(-1);
  });
});
