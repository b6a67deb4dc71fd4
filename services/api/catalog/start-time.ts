import { InvalidInputError, type InputPlace } from '../../platform/errors';
import { type Form, matching, ofText } from '../../platform/forms/form';

/** SQL of the local time, HH:MM, at which a departure `d` of tour `t` begins: its own start time, or that of its tour. Null: none. */
export const START_TIME = startTimeOf('t');

/** Returns START_TIME for a statement that gives the tour another name than `t`. */
export function startTimeOf(tour: string): string {
  return `coalesce(d.start_time, ${tour}.start_time)`;
}

const START_TIME_FORM = /^([01][0-9]|2[0-3]):[0-5][0-9]$/;

export function isStartTime(text: string): boolean {
  return START_TIME_FORM.test(text);
}

/** `04:30:00 PM`, as LibreOffice writes a time in its American setting. */
const TWELVE_HOURS = /^(0?[1-9]|1[0-2])(:[0-5][0-9])(?::00)? ?([AP])M$/i;

/**
 * Reads a start time of a file or a flag: `09:30`, or `09:30:00` and `09:30:00 AM` as spreadsheets write it.
 * @returns undefined for any other text. Requests have `HH:MM` only
 */
export function readStartTime(text: string): string | undefined {
  const time = fromTwelveHours(text) ?? text.replace(/^(\d\d:\d\d):00$/, '$1');
  return isStartTime(time) ? time : undefined;
}

/** Returns the time with 24 hours; undefined: the text is no time with AM or PM. 12 AM is midnight, and 12 PM is noon. */
function fromTwelveHours(text: string): string | undefined {
  const [, hours, minutes, half] = TWELVE_HOURS.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const hour = (Number(hours) % 12) + (half!.toUpperCase() === 'P' ? 12 : 0);
  return `${hour}`.padStart(2, '0') + minutes;
}

/** Says what is wrong with a text that is no start time. */
const START_TIME_RULE = 'must be a time of the day such as 09:30';

/** Reads a start time of a request: HH:MM. */
export const startTimeForm = matching(isStartTime, START_TIME_RULE);

/** Reads a start time of a file or a flag (readStartTime). */
export const writtenStartTimeForm: Form<string> = ofText((text) => {
  const value = readStartTime(text);
  return value === undefined ? { issue: START_TIME_RULE } : { value };
});

export function departureTimeWithoutDate(place: InputPlace): InvalidInputError {
  return new InvalidInputError(place, 'departure_time', 'must come with departure_date');
}

/** Returns the name of a departure as a command takes it: `2027-05-01`, or with its start time `2027-05-01T09:30`. */
export function departureArgument(date: string, time: string | null): string {
  return time === null ? date : `${date}T${time}`;
}

/** Returns the name of a departure in messages: `2027-05-01`, or with its start time `2027-05-01 09:30`. */
export function nameDeparture(date: string, time: string | null): string {
  return time === null ? date : `${date} ${time}`;
}
