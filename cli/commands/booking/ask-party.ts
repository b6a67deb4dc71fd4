import type { PricedDeparture } from '../../../services/api/departures/find-departures';
import { describeParty } from '../../../services/api/parties/party';
import { type Party, seatsOf } from '../../../services/api/parties/party-rules';
import { toMajor } from '../../../services/api/pricing/currency';
import { totalOf } from '../../../services/api/pricing/price-categories';
import { formatMoney, line } from '../../engine/values';
import { askFor } from '../../engine/complete-values';
import type { Io } from '../../terminal/io';
import { askFromList, type Choice, type Offer } from '../../terminal/prompts';
import { countOf } from '../../terminal/text';
import { describeDay, freeSeats, nearestTo } from './ask-departure';
import { explainIssue, issueOfParty, nearestParties, type PartyLimits, readParty } from './read-party';

/** A party on a departure, which the conversation sells. */
export interface SoldParty {
  sold: PricedDeparture;
  party: Party;
  /** The reason to add the seats that are missing. Undefined: none is missing, or none may be added. */
  addSeats?: string;
}

/** A question about the party of a departure. */
export interface PartyQuestion {
  sold: PricedDeparture;
  /** The departures of the tour, which are offered instead of one without enough free seats. */
  others: readonly PricedDeparture[];
  /** The party that flags give. */
  given?: Party;
  /** True: flags add the missing seats. */
  addsSeats: boolean;
  /** True: seats may be added, which a sandbox tenant may not. */
  mayAddSeats: boolean;
  /** The reason that flags give. */
  reason?: string;
}

/** Largest length of the reason for added seats, in characters. */
const REASON_MAX = 200;
/** The dates that are offered instead of one without enough free seats. */
const OTHER_DATES = 3;

/**
 * Asks for the party; shows the total beside each. An impossible one says why, and offers the nearest parties, other dates with enough free seats,
 * and to add the missing seats with a reason. A given party that is possible is not asked for.
 */
export async function askParty(io: Io, question: PartyQuestion): Promise<SoldParty> {
  const { sold, given, addsSeats } = question;
  if (given && !issueOfParty(given, limitsOf(sold, addsSeats)))
    return finish(io, question, { sold, party: given });
  const categories = sold.quote.categories.map(({ code }) => code).slice(0, 2);
  const example = categories.map((code, i) => `${code}=${2 - i}`).join(', ');
  const message = `Party (2, or ${example}):`;
  const answer = await askFromList(io, message, async (typed) => findParties(question, typed));
  const { at, party, adds = false } = JSON.parse(answer) as Answer;
  const chosen = [sold, ...question.others].find(({ departure }) => departure.id === at)!;
  return finish(io, { ...question, addsSeats: addsSeats || adds }, { sold: chosen, party });
}

/** The value of a choice, as JSON. */
interface Answer {
  /** The id of the departure. */
  at: string;
  party: Party;
  /** True: the missing seats are added. */
  adds?: boolean;
}

/** Asks for the reason of added seats, unless flags give it. */
async function finish(io: Io, { addsSeats, reason }: PartyQuestion, done: SoldParty): Promise<SoldParty> {
  const { departure, quote } = done.sold;
  const missing = seatsOf(done.party, quote.categories) - freeSeats(departure);
  if (!addsSeats || missing <= 0) return done;
  const addSeats =
    reason ?? (await askFor(`Reason to add ${countOf(missing, 'seat')}:`, line(REASON_MAX), io));
  return { ...done, addSeats: addSeats.trim() };
}

function limitsOf({ departure, quote }: PricedDeparture, addsSeats: boolean): PartyLimits {
  const free = addsSeats ? Infinity : freeSeats(departure);
  return { categories: quote.categories, prices: quote.tenant, free };
}

function findParties(question: PartyQuestion, typed: string): Offer {
  const { sold, given, addsSeats } = question;
  const limits = limitsOf(sold, addsSeats);
  if (typed.trim() === '' && !given) return offerSmall(question, limits);
  const read = typed.trim() === '' && given ? { party: given } : readParty(typed, limits.categories);
  if (read.party === undefined) return { why: read.why, choices: choicesNear({}, question, limits) };
  const issue = issueOfParty(read.party, limits);
  if (!issue) return { choices: [choiceOf(sold, read.party)] };
  const choices = choicesNear(read.party, question, limits);
  if (issue.kind !== 'free') return { why: explainIssue(issue, limits.categories), choices };
  const why = `${explainIssue(issue, limits.categories)} on ${describeDeparture(sold)}`;
  return { why, choices: [...choices, ...otherWays(read.party, question)] };
}

/** The number of adults up to which parties are offered before anything is typed. */
const OFFERED_UNITS = 4;

/** Offers parties of the category that a number means, or of the first one. */
function offerSmall(question: PartyQuestion, limits: PartyLimits): Offer {
  const numbers = Array.from({ length: OFFERED_UNITS }, (_, i) => String(i + 1));
  const parties = numbers.map((number) => readParty(number, limits.categories).party ?? {});
  const possible = parties.filter((party) => !issueOfParty(party, limits));
  if (possible.length > 0) return { choices: possible.map((party) => choiceOf(question.sold, party)) };
  const choices = choicesNear({}, question, limits);
  if (choices.length > 0) return { choices };
  const [smallest = {}] = nearestParties({}, { ...limits, free: Infinity });
  const why = `${explainIssue({ kind: 'free', number: limits.free }, limits.categories)}: ${describeDeparture(question.sold)}`;
  return { why, choices: otherWays(smallest, question) };
}

function choicesNear(party: Party, { sold }: PartyQuestion, limits: PartyLimits): Choice[] {
  return nearestParties(party, limits).map((near) => choiceOf(sold, near));
}

/** Returns the nearest other dates that can take the party, and the choice to add the missing seats. */
function otherWays(party: Party, question: PartyQuestion): Choice[] {
  const { sold, others, mayAddSeats } = question;
  const possible = others.filter(
    (other) => other !== sold && !other.departure.cancelled && !issueOfParty(party, limitsOf(other, false)),
  );
  const dates = nearestTo(possible, sold.departure.departureDate).slice(0, OTHER_DATES);
  const choices = dates.map((other) => ({
    value: valueOf({ at: other.departure.id, party }),
    name: `${describeDeparture(other)}: ${describeTotal(other, party)}`,
  }));
  const isOnlyShort = !issueOfParty(party, limitsOf(sold, true));
  return mayAddSeats && isOnlyShort ? [...choices, addingChoice(party, sold)] : choices;
}

function addingChoice(party: Party, sold: PricedDeparture): Choice {
  const missing = seatsOf(party, sold.quote.categories) - freeSeats(sold.departure);
  const name = `add ${countOf(missing, 'seat')} to ${describeDeparture(sold)}, with a reason: ${describeTotal(sold, party)}`;
  return { value: valueOf({ at: sold.departure.id, party, adds: true }), name };
}

function choiceOf(sold: PricedDeparture, party: Party): Choice {
  return { value: valueOf({ at: sold.departure.id, party }), name: describeTotal(sold, party) };
}

const valueOf = (answer: Answer): string => JSON.stringify(answer);

/** Describes a party and its total: `2 adults  98.00 EUR`. */
function describeTotal({ quote }: PricedDeparture, party: Party): string {
  const total = formatMoney(toMajor(totalOf(party, quote.tenant), quote.currencyDigits), quote.currency);
  return `${describeParty(party)}  ${total}`;
}

/** Names a departure for a person: `Sat 5 Jun 2027 18:00`. */
export function describeDeparture({ departure: { departureDate, startTime } }: PricedDeparture): string {
  return [describeDay(departureDate), ...(startTime === null ? [] : [startTime])].join(' ');
}
