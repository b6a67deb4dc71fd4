import type { Answer, Clients, Named, Span, Write } from './client';
import { microseconds, type Version } from './journal';
import { fail, type Model } from './model';
import type { PlannedDeparture, World } from './world';

/** A departure as a request may have found it. */
interface FoundDeparture extends PlannedDeparture {
  open: boolean;
}

/** The id of the departure that an answer chose, or the reason why it chose none. */
type Choice = string;
const NONE: Choice = 'none';
const UNDATED: Choice = 'no date';
const NO_DATE_FOR_TIME: Choice = 'a time without a date';
const OTHER_TIME: Choice = 'another time than that of the hold';
const SEVERAL = 'several: ';
const CANCELLED: Choice = 'a cancelled departure';
const FULL: Choice = 'too few seats';

/**
 * Repeats the API's rule. A start time chooses the departure with this time. Without a time, the API takes the only open departure.
 * If none is open, the API takes the only departure.
 */
function choose(found: FoundDeparture[], time: string | undefined): Choice {
  if (time !== undefined) return found.find((one) => one.time === time)?.id ?? NONE;
  const bookable = found.filter(({ open }) => open);
  const left = bookable.length === 0 ? found : bookable;
  if (left.length > 1) return SEVERAL + left.map((one) => one.time).join(', ');
  return left[0]?.id ?? NONE;
}

/**
 * Checks the departure of each REST answer. Other clients cancel departures and move sales at the same time. A request may therefore
 * find any state that a transaction committed between the call and the answer. It may also find the state that was valid at the
 * call.
 */
export function checkChoices({ writes, operations }: Clients, world: World, model: Model): void {
  const changes = writes.map(({ span }) => span);
  for (const write of writes.filter(({ octo, kind }) => !octo && /^(hold|book|change .*)$/.test(kind))) {
    const states = world.departures.map((departure) => {
      const versions = visibleIn(write.span, model.versionsOf(departure.id), operations);
      return { ...departure, statuses: new Set(versions.map(({ row }) => row.status)) };
    });
    const sold = departuresOfSale(write, world, model, changes);
    const allowed = new Set(combinationsOf(states).flatMap((found) => choicesOf(write, found, sold)));
    const cancellable = states.filter(({ id, statuses }) => allowed.has(id) && statuses.has('cancelled'));
    for (const answer of write.answers) {
      const outcome = outcomeOf(answer, world);
      const isAllowed =
        (outcome === CANCELLED && cancellable.length > 0) ||
        (outcome === FULL && states.some(({ id }) => allowed.has(id))) ||
        (outcome !== null && allowed.has(outcome));
      if (outcome !== null && !isAllowed)
        fail(
          `${write.kind} ${write.path} ${JSON.stringify(write.body)}: ${outcome} instead of ${[...allowed].join(' | ')}: ${answer.text}`,
        );
    }
  }
}

/** Returns the versions of a row that a statement may read if it runs between two instants. */
function visibleIn({ from, to }: Span, versions: Version[], changes: Span[]): Version[] {
  return versions.filter(({ at }, n) => {
    const next = versions[n + 1];
    return microseconds(at) <= to && !(next && committedBy(microseconds(next.at), changes) < from);
  });
}

/** Returns the latest end of a change that ran at this instant, in microseconds. Infinity if no change ran at this instant. */
function committedBy(at: number, changes: Span[]): number {
  const around = changes.filter(({ from, to }) => from <= at && at <= to);
  return around.length === 0 ? Infinity : Math.max(...around.map(({ to }) => to));
}

/** Returns one list of departures for each combination of the statuses that the departures may have had. */
function combinationsOf(states: (PlannedDeparture & { statuses: Set<string> })[]): FoundDeparture[][] {
  return states.reduce<FoundDeparture[][]>(
    (combinations, { statuses, ...departure }) =>
      combinations.flatMap((found) =>
        [...statuses].map((status) => [...found, { ...departure, open: status === 'scheduled' }]),
      ),
    [[]],
  );
}

/** Returns the departures that the request's hold or booking may have had. Null: the hold or booking may have had no departure. */
function departuresOfSale(
  { path, body, span }: Write,
  { departures }: World,
  model: Model,
  changes: Span[],
): (PlannedDeparture | null)[] {
  const name = body.hold_id ?? /(?:holds|bookings)[/]([^/]+)/.exec(path)?.[1];
  if (name === undefined) return [];
  const ids = new Set(visibleIn(span, model.versionsOf(name), changes).map(({ row }) => row.departure_id));
  return [...ids].map((id) => departures.find((one) => one.id === id) ?? null);
}

/** Returns the departures or refusals that are correct for this combination of departure statuses. */
function choicesOf(
  { kind, body }: Write,
  found: FoundDeparture[],
  sold: (PlannedDeparture | null)[],
): Choice[] {
  const { departure_date: date, departure_time: time } = body;
  const on = (wanted: string) => found.filter((one) => one.date === wanted);
  if (kind.startsWith('change')) return sold.map((now) => choiceOfChange(on, body, now));
  if (body.hold_id !== undefined)
    return sold.map((now) => (time === undefined || now?.time === time ? now!.id : OTHER_TIME));
  if (date === undefined && body.external_ref === undefined) return [UNDATED];
  // A request that names a hold by its reference, but not its date or time, may get the departure of the hold.
  const held = found.filter((one) => time === undefined || one.time === time);
  if (date === undefined)
    return [time === undefined ? UNDATED : NO_DATE_FOR_TIME, ...held.map(({ id }) => id)];
  const choice = choose(on(date), time);
  // A booking by the reference of a hold is for the departure of the hold, also if another one of the date alone can be sold.
  const isOfHold = body.external_ref !== undefined && kind === 'book';
  return isOfHold ? [choice, ...on(date).map(({ id }) => id)] : [choice];
}

function choiceOfChange(
  on: (date: string) => FoundDeparture[],
  { departure_date, departure_time: time }: Named,
  now: PlannedDeparture | null,
): Choice {
  const date = departure_date ?? now?.date;
  if (time === undefined && date === now?.date) return now?.id ?? UNDATED;
  return date === undefined ? NO_DATE_FOR_TIME : choose(on(date), time);
}

/** Returns the departure that an answer chose, or the reason why it chose none. Null: the answer does not depend on a departure. */
function outcomeOf({ status, body }: Answer, { departures }: World): Choice | null {
  if (status < 300) {
    if (body.departure_date === null) return UNDATED;
    const sold = departures.find(
      ({ date, time }) => date === body.departure_date && time === body.departure_time,
    );
    return sold?.id ?? fail(`${JSON.stringify(body)}: no such departure`);
  }
  if (status === 400) return choiceOfIssue(body.errors as { field: string; message: string }[]);
  return OUTCOMES[body.code as string] ?? null;
}

const OUTCOMES: Record<string, Choice> = {
  departure_gone: NONE,
  departure_cancelled: CANCELLED,
  insufficient_seats: FULL,
};

function choiceOfIssue(issues: { field: string; message: string }[]): Choice | null {
  const message = issues.find(({ field }) => field === 'departure_time')?.message;
  if (message === undefined) return null;
  const times = /^must name one of the departures of this date: (.*)$/.exec(message)?.[1];
  if (times !== undefined) return SEVERAL + times;
  return ISSUES[message] ?? fail(`departure_time ${message}`);
}

const ISSUES: Record<string, Choice> = {
  'must come with departure_date': NO_DATE_FOR_TIME,
  "must be the hold's time, or left out": OTHER_TIME,
};
