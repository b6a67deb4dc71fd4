import { fitParty } from '../../clients/booking-element/src/party-choice';
import type { Category } from '../../services/api/parties/category';

const category = (code: string, rest: Partial<Category> = {}): Category => ({
  code,
  kind: 'adult',
  seats: 1,
  people: 1,
  ...rest,
});
const [ADULT, CHILD] = [category('adult'), category('child', { kind: 'child' })];

describe('a party of a tour that has changed', () => {
  it('the party keeps what is still sold, in the order of the tour, and names what is not', () => {
    const fitted = fitParty({ adult: 2, child: 1 }, [ADULT, CHILD], [category('senior'), ADULT]);
    expect(fitted).toEqual({ party: { adult: 2 }, unsold: [CHILD] });
    const turned = fitParty({ adult: 2, child: 1 }, [ADULT, CHILD], [CHILD, ADULT]);
    expect(Object.entries(turned.party)).toEqual([
      ['child', 1],
      ['adult', 2],
    ]);
    expect(turned.unsold).toEqual([]);
  });

  it('a category with a new code keeps its units', () => {
    const fitted = fitParty({ person: 2 }, [category('person'), CHILD], [category('adult'), CHILD]);
    expect(fitted).toEqual({ party: { adult: 2 }, unsold: [] });
  });

  it.each<[string, Category[]]>([
    ['two new categories of its kind', [category('adult'), category('local')]],
    ['a new one of another kind', [category('student', { kind: 'student' })]],
    ['a new one with other seats', [category('couple', { seats: 2 })]],
    ['no new one', [CHILD]],
  ])('the category leaves the party if there is %s', (_title, sold) => {
    const person = category('person');
    expect(fitParty({ person: 2 }, [person, CHILD], sold)).toEqual({ party: {}, unsold: [person] });
  });

  it('two categories of one kind are not joined in the only new one', () => {
    const before = [category('person'), category('resident')];
    const fitted = fitParty({ person: 1, resident: 1 }, before, [ADULT]);
    expect(fitted).toEqual({ party: {}, unsold: before });
  });
});
