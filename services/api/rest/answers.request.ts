import { InvalidInputError } from '../../platform/errors';
import { ofText } from '../../platform/forms/form';
import { lineForm, proseForm } from '../../platform/forms/texts';
import { canonicalLanguage } from '../catalog/tour-text';
import { bodyInput, givenInput, readAll } from '../http/input';
import { type GivenPickup, PLACE_MAX } from '../pickups/pickup';
import type { AnswerValue } from '../questions/answers';
import type { GivenAnswers, AnswerValues, TravellerAnswers } from '../questions/given-answers';
import { ANSWER_MAX, isQuestionCode } from '../questions/question';
import type { AnswersBody, BookingPatch } from './booking.dto';

const TEXT = proseForm(ANSWER_MAX);
const PLACE = lineForm(PLACE_MAX);
const POINT = lineForm(64);
const LANGUAGE = ofText((text) => {
  const value = canonicalLanguage(text);
  return value === undefined ? { issue: 'must be a language tag such as de or pt-BR' } : { value };
});

type AnsweringBody = Pick<BookingPatch, 'answers' | 'travellers' | 'pickup' | 'lang'>;

/**
 * Reads the answers of a new booking or a change. Whether they answer the questions is decided where a party is. Undefined: the body names
 * neither answers nor travellers nor a language.
 * @throws BadInputError with all issues of the answers (400)
 */
export function givenAnswers({ answers, travellers, pickup, lang }: AnsweringBody): GivenAnswers | undefined {
  const read = readAll<GivenAnswers>({
    lang: () => givenInput('lang', lang, LANGUAGE),
    ofBooking: () => valuesInput('answers', answers),
    ofTravellers: () => ofTravellers(travellers),
    pickup: () => pickupInput(pickup),
  });
  const namesAny = Object.values(read).some((one) => one !== undefined);
  return namesAny ? read : undefined;
}

/** @throws InvalidInputError (400) */
function pickupInput(pickup: BookingPatch['pickup']): GivenPickup | undefined {
  if (pickup == null) return pickup;
  const { point, place } = pickup;
  if ((point === undefined) === (place === undefined))
    throw new InvalidInputError('body', 'pickup', 'must have a point, or a place');
  return point === undefined
    ? { place: bodyInput('pickup.place', place, PLACE) }
    : { point: bodyInput('pickup.point', point, POINT) };
}

function ofTravellers(travellers: BookingPatch['travellers']): TravellerAnswers[] | null | undefined {
  if (travellers === null) return null;
  // travellersInput reports a list of another form.
  if (!Array.isArray(travellers)) return undefined;
  return travellers.map((traveller, index) => ({
    category: traveller?.category,
    values: valuesInput(`travellers.${index}.answers`, traveller?.answers),
  }));
}

/** @throws BadInputError with all issues of the values (400) */
function valuesInput(field: string, values: AnswersBody | undefined): AnswerValues | undefined {
  if (values === undefined) return undefined;
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw new InvalidInputError('body', field, 'must be an object of answers by question');
  if (!Object.keys(values).every(isQuestionCode))
    throw new InvalidInputError('body', field, 'must have codes of questions');
  const readers = Object.entries(values).map(([code, value]) => [
    code,
    () => valueInput(`${field}.${code}`, value),
  ]);
  return readAll(Object.fromEntries(readers) as Record<string, () => AnswerValue | null>);
}

function valueInput(field: string, value: unknown): AnswerValue | null {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'string') return bodyInput(field, value, TEXT);
  throw new InvalidInputError('body', field, 'must be a text, a number, true or false, or null');
}

/**
 * Returns the answers of a request for the comparison with an earlier one. Undefined: it answers nothing, so that it equals the requests of
 * releases that knew no questions.
 */
export function comparedGivenAnswers(given: GivenAnswers | undefined) {
  if (!given) return undefined;
  const { lang, pickup, ofBooking, ofTravellers = [] } = given;
  const values = [ofBooking, ...(ofTravellers ?? []).map((one) => one.values)];
  const isAnswered = values.some((one) => one && Object.keys(one).length > 0);
  const isAsked = isAnswered || lang !== undefined || pickup !== undefined;
  return isAsked ? { lang, pickup, values: values.map((one) => one ?? {}) } : undefined;
}

/**
 * Returns the answers of a new booking for the comparison with an earlier request. A new booking has nothing to clear, so that null is as good
 * as nothing.
 */
export function comparedNewAnswers(given: GivenAnswers | undefined) {
  if (!given) return undefined;
  const { pickup, ofBooking, ofTravellers } = given;
  return comparedGivenAnswers({
    ...given,
    pickup: pickup ?? undefined,
    ofBooking: withoutNulls(ofBooking),
    ofTravellers: ofTravellers?.map((one) => ({ ...one, values: withoutNulls(one.values) })),
  });
}

function withoutNulls(values: AnswerValues = {}): AnswerValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
