import { categoryName, markUnnamed } from '../../clients/booking-element/src/category-names';
import { reduce, startPurchase } from '../../clients/booking-element/src/purchase';
import type { Category, Tour } from '../../clients/booking-element/src/wire';
import { de } from '../../clients/booking-element/src/words/de';
import { en } from '../../clients/booking-element/src/words/en';

const category = (code: string, rest: Partial<Category> = {}): Category => ({
  code,
  kind: 'child',
  seats: 1,
  people: 1,
  ...rest,
});
const namesOf = (categories: Category[], words = en) =>
  markUnnamed(categories).map((one) => categoryName(one, words));

describe('the names of categories', () => {
  it('two categories of a kind without names have the ages that tell them apart', () => {
    const categories = [
      category('adult', { kind: 'adult', age_from: 18 }),
      category('toddler', { age_to: 5 }),
      category('pupil', { age_from: 6, age_to: 17 }),
    ];
    expect(namesOf(categories)).toEqual(['Adult', 'Child (0–5)', 'Child (6–17)']);
    expect(namesOf(categories, de)).toEqual(['Erwachsene', 'Kinder (0–5)', 'Kinder (6–17)']);
  });

  it.each<[string, Partial<Category>, Partial<Category>]>([
    ['the same ages', { age_from: 0, age_to: 5 }, { age_to: 5 }],
    ['no ages', {}, {}],
    ['ages for one alone', { age_to: 5 }, {}],
  ])('two categories of a kind with %s have their codes', (_title, one, other) => {
    expect(namesOf([category('local', one), category('guest', other)])).toEqual([
      'Child (local)',
      'Child (guest)',
    ]);
  });

  it('a category with a name of its own keeps it, and leaves the other one of its kind alone', () => {
    expect(namesOf([category('pupil', { name: 'Pupil' }), category('child')])).toEqual(['Pupil', 'Child']);
  });

  it('the single supplement has words of its own beside another supplement', () => {
    const kind = 'supplement';
    const names = namesOf([category('single_supplement', { kind }), category('bike', { kind })]);
    expect(names).toEqual(['Single supplement', 'Supplement']);
  });

  it('the tour of a purchase has the names that tell its categories apart', () => {
    const tour = { categories: [category('toddler', { age_to: 5 }), category('pupil')] } as unknown as Tour;
    const { tour: read } = reduce(startPurchase(true), { type: 'tourRead', tour });
    expect(read!.categories.map((one) => categoryName(one, en))).toEqual([
      'Child (toddler)',
      'Child (pupil)',
    ]);
  });
});
