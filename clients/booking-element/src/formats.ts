/** The formats of one language. Money is in major units, as in the answers of the site's server. */
export interface Formats {
  /** Formats an amount with the decimals of its currency: `€1,290`, `€311.50`. */
  money(amount: number, currency: string): string;
  /** Formats an amount for a narrow place, without its currency: `311.50`, `1,483`, `128K`. Breaks between a number and its unit: `8,9 Mio.`. */
  shortMoney(amount: number, currency: string): string;
  /** Formats a day in full: `Saturday, March 6, 2027`. @param iso YYYY-MM-DD */
  date(iso: string): string;
  /** The days of the week, from the first day of the week of the language. */
  weekdays: { short: string; long: string }[];
  /** The first day of the week: 1 is Monday, 7 is Sunday. */
  firstWeekday: number;
  /**
   * Formats an instant in the time zone of the visitor: `March 6, 2027 at 9:30 AM`. Names the zone where the clocks of the tour show another
   * time: `March 6, 2027 at 9:30 AM (GMT+1)`.
   * @param at RFC 3339, or milliseconds
   * @param timeZone of the tour. Absent: the instant has nothing to do with its clocks
   */
  instant(at: string | number, timeZone?: string): string;
  /** Formats the day of an instant in the time zone of the visitor: `March 6`. @param iso RFC 3339 */
  day(iso: string): string;
  /** Formats a month: `March 2027`. @param month YYYY-MM */
  month(month: string): string;
  /** Formats a local time. @param time HH:MM */
  time(time: string): string;
  /** Formats a cut-off of the platform: `36 hours` for `36h`. */
  duration(cutoff: string): string;
  /** Formats the rest of a hold as minutes and seconds: `14:05`. */
  countdown(seconds: number): string;
  number(number: number): string;
  /** @param percent 50 for `50%` */
  percent(percent: number): string;
  /** Joins names as alternatives: `Adult or Senior`. */
  either(names: string[]): string;
}

/** The currencies of ISO 4217 without two decimals. Intl is not asked, because its decimals of some currencies differ from ISO 4217. */
const DIGITS: [number, string][] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

/** Returns the decimals of a currency: 2 for EUR, 0 for JPY, 3 for KWD. */
export function digitsOf(currency: string): number {
  return DIGITS.find(([, codes]) => codes.includes(currency))?.[0] ?? 2;
}

/** Makes the formats of a locale. @param locale a canonical language tag */
export function formatsOf(locale: string): Formats {
  const numbers = new Intl.NumberFormat(locale);
  const percents = new Intl.NumberFormat(locale, { style: 'percent' });
  const seconds = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2 });
  const days = dateFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  const months = dateFormat(locale, { month: 'long', year: 'numeric' });
  const times = dateFormat(locale, { timeStyle: 'short' });
  const alternatives = new Intl.ListFormat(locale, { type: 'disjunction' });
  const firstWeekday = firstDayOfWeek(locale);
  const daysOfInstants = dateFormat(locale, { day: 'numeric', month: 'long', timeZone: undefined });
  return {
    money: moneyFormat(locale),
    shortMoney: shortMoneyFormat(locale),
    date: (iso) => days.format(atMidnight(iso)),
    weekdays: weekdaysFrom(firstWeekday, locale),
    firstWeekday,
    instant: instantFormat(locale),
    day: (iso) => daysOfInstants.format(new Date(iso)),
    month: (month) => months.format(atMidnight(`${month}-01`)),
    time: (time) => times.format(new Date(`1970-01-01T${time}:00Z`)).replace(' ', '\u00a0'),
    duration: durationFormat(locale),
    countdown: (left) => `${numbers.format(Math.floor(left / 60))}:${seconds.format(Math.floor(left % 60))}`,
    number: numbers.format,
    percent: (percent) => percents.format(percent / 100),
    either: (names) => alternatives.format(names),
  };
}

/** Uses UTC, so that no time zone moves a day, and the calendar of the platform, which is not the one of each country. */
function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { calendar: 'gregory', timeZone: 'UTC', ...options });
}

function instantFormat(locale: string): Formats['instant'] {
  const formatIn = (timeZone?: string) =>
    dateFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone });
  const zones = dateFormat(locale, { timeZoneName: 'short', timeZone: undefined });
  return (at, timeZone) => {
    const instant = new Date(at);
    const text = formatIn().format(instant);
    if (!timeZone || formatIn(timeZone).format(instant) === text) return text;
    const zone = zones.formatToParts(instant).find(({ type }) => type === 'timeZoneName');
    return `${text} (${zone!.value})`;
  };
}

function atMidnight(iso: string): Date {
  return new Date(`${iso}T00:00:00Z`);
}

function moneyFormat(locale: string): Formats['money'] {
  const formats = new Map<string, Intl.NumberFormat>();
  return (amount, currency) => {
    let format = formats.get(currency);
    if (!format) formats.set(currency, (format = currencyFormat(locale, currency)));
    const parts = format.formatToParts(amount);
    const leftwards = parts.some(({ value }) => value.includes(RIGHT_TO_LEFT_MARK));
    return parts
      .map(({ type, value }) => (leftwards && type === 'currency' ? isolated(value) : value))
      .join('');
  };
}

function currencyFormat(locale: string, currency: string): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    ...decimalsOf(digitsOf(currency)),
  });
}

/** Returns all decimals of an amount, or none if they are zeros. */
function decimalsOf(digits: number): Intl.NumberFormatOptions {
  return {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    trailingZeroDisplay: 'stripIfInteger',
  };
}

const RIGHT_TO_LEFT_MARK = '\u200f';

/** Isolates the text: otherwise US$ becomes $US between Arabic words, because $ has no direction. */
function isolated(text: string): string {
  return /[A-Z]/i.test(text) ? `\u2066${text}\u2069` : text;
}

/** The first amounts that a narrow place shows without decimals, and in thousands or millions with three digits. */
const WHOLE_FROM = 1000;
const ROUNDED_FROM = 10_000;

function shortMoneyFormat(locale: string): Formats['shortMoney'] {
  const whole = new Intl.NumberFormat(locale, decimalsOf(0));
  const rounded = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 });
  return (amount, currency) => {
    if (amount >= ROUNDED_FROM) return rounded.format(amount).replace('\u00a0', ' ');
    const format =
      amount < WHOLE_FROM && amount % 1
        ? new Intl.NumberFormat(locale, decimalsOf(digitsOf(currency)))
        : whole;
    return format.format(amount);
  };
}

const UNITS: Record<string, string> = { m: 'minute', h: 'hour', d: 'day' };

function durationFormat(locale: string): Formats['duration'] {
  return (cutoff) => {
    const unit = UNITS[cutoff.slice(-1)];
    const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' });
    // Keeps the number and its unit on one line.
    return format.format(parseInt(cutoff, 10)).replaceAll(' ', '\u00a0');
  };
}

/** 4 January 1970 is a Sunday. */
const SUNDAY = Date.UTC(1970, 0, 4);
const DAY_MS = 86_400_000;

function weekdaysFrom(first: number, locale: string): Formats['weekdays'] {
  const short = dateFormat(locale, { weekday: 'short' });
  const long = dateFormat(locale, { weekday: 'long' });
  return [0, 1, 2, 3, 4, 5, 6].map((offset) => {
    const day = SUNDAY + (first + offset) * DAY_MS;
    return { short: short.format(day), long: long.format(day) };
  });
}

/** Returns the first day of the week: Monday in a browser that does not know it, such as Firefox. */
function firstDayOfWeek(locale: string): number {
  const known = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?(): { firstDay: number } };
  return known.getWeekInfo?.().firstDay ?? 1;
}
