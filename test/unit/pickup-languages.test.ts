import { translateTour } from '../../services/api/catalog/tour-text';
import type { Tour } from '../../services/api/catalog/tour';

const HOTEL = {
  point: 'hotel',
  name: 'Grand Hotel',
  address: null,
  lat: null,
  lng: null,
  directions: 'At the fountain.',
  google_place_id: null,
  translations: { de: { directions: 'Am Brunnen.' } },
  minutes_before: 30,
};
const TOUR = {
  language: 'en',
  name: 'City',
  categories: [],
  questions: [],
  pickup: { required: false, until: 'confirm', elsewhere: false, points: [HOTEL] },
} as unknown as Tour;

describe('the words of a pickup point', () => {
  it.each([
    ['de', [['de']], 'Am Brunnen.'],
    ['en, then de', [['en'], ['de']], 'At the fountain.'],
    ['fr, then de', [['fr'], ['de']], 'Am Brunnen.'],
    ['nothing', [], 'At the fountain.'],
  ])('follow the languages of texts for a visitor who prefers %s', (_, preferred, directions) => {
    const { tour } = translateTour(TOUR, {}, preferred);
    expect(tour.pickup!.points[0]!.directions).toBe(directions);
  });
});
