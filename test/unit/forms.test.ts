import { moment, instant, line, paragraphs } from '../../cli/engine/values';
import { formField, lineField, paragraphsField } from '../../services/api/catalog-import/field-checks';
import {
  addDays,
  birthDateForm,
  calendarDateForm,
  dateOf,
  daysBetween,
  instantForm,
  instantOrEndOfDayForm,
  rangeIssue,
} from '../../services/platform/forms/days';
import { lineForm, proseForm } from '../../services/platform/forms/texts';

const NOT_A_TIME = 'must be a time such as 2027-03-06T09:30:00Z';

describe('an instant', () => {
  it.each([
    ['in UTC', '2027-05-01T08:00:00Z', '2027-05-01T08:00:00.000Z'],
    ['with an offset', '2027-05-01T08:00:00+07:00', '2027-05-01T01:00:00.000Z'],
    ['with nine decimals, which are cut', '2027-05-01T08:00:00.123999999Z', '2027-05-01T08:00:00.123Z'],
  ])('requests, files and the terminal read a time %s', (_, text, utc) => {
    expect(instantForm(text)).toEqual({ value: utc });
    expect(formField(instantOrEndOfDayForm).safeParse(text).data).toBe(utc);
    expect(instant(text, '--at').toISOString()).toBe(utc);
  });

  it.each([
    ['a day that does not exist', '2027-02-29T08:00:00Z'],
    ['an hour that does not exist', '2027-05-01T25:00:00Z'],
    ['no zone', '2027-05-01T08:00:00'],
    ['a year that the offset moves before 1', '0001-01-01T00:00:00+01:00'],
    ['a year that the offset moves after 9999', '9999-12-31T23:00:00-02:00'],
  ])('requests, files and the terminal refuse a time with %s', (_, text) => {
    expect(instantForm(text)).toEqual({ issue: NOT_A_TIME });
    expect(formField(instantOrEndOfDayForm).safeParse(text).error!.issues[0]!.message).toBe(NOT_A_TIME);
    expect(() => instant(text, '--at')).toThrow(`--at ${NOT_A_TIME}`);
  });

  it('files and the terminal accept 24:00 as the end of a day, and requests do not', () => {
    const text = '2027-05-01T24:00:00Z';
    expect(instantForm(text)).toEqual({ issue: NOT_A_TIME });
    expect(instantOrEndOfDayForm(text)).toEqual({ value: '2027-05-02T00:00:00.000Z' });
    expect(instant(text, '--at').toISOString()).toBe('2027-05-02T00:00:00.000Z');
  });

  it.each([
    ['2027-05-01', '2027-05-01T00:00:00.000Z'],
    ['2027-05-01T08:00Z', '2027-05-01T08:00:00.000Z'],
    ['2027-05-01T08:00+02:00', '2027-05-01T06:00:00.000Z'],
    ['2027-05-01T08:00:00.1234567891234Z', '2027-05-01T08:00:00.123Z'],
  ])('only the terminal accepts %s as an instant', (text, utc) => {
    expect(instantOrEndOfDayForm(text)).toEqual({ issue: NOT_A_TIME });
    expect(instant(text, '--at').toISOString()).toBe(utc);
    expect(moment(text, '--at').toISOString()).toBe(utc);
  });
});

describe('a date', () => {
  it.each(['2027-02-29', '2027-2-1', '0000-01-01', '1 May 2027', '', 20270501, null, ['2027-05-01']])(
    'the form of dates refuses %j',
    (given) => {
      const issue = typeof given === 'string' ? 'must be a calendar date, YYYY-MM-DD' : 'must be a text';
      expect(calendarDateForm(given)).toEqual({ issue });
    },
  );

  it('a birth date is from 1900 to today', () => {
    const today = dateOf(Date.now());
    expect([birthDateForm('1900-01-01'), birthDateForm(today)]).toEqual([
      { value: '1900-01-01' },
      { value: today },
    ]);
    for (const date of ['1899-12-31', addDays(today, 1)])
      expect(birthDateForm(date).issue).toMatch('from 1900 to today');
  });

  it('days are added and counted across the change of a month and of a leap year', () => {
    expect([addDays('2028-02-28', 2), addDays('2027-01-01', -1)]).toEqual(['2028-03-01', '2026-12-31']);
    expect(daysBetween('2028-02-28', '2028-03-01')).toBe(2);
  });

  it('a range has 366 days at most, and does not end before it begins', () => {
    expect(rangeIssue('2027-01-01', '2028-01-01', 'the start')).toBeUndefined();
    expect(rangeIssue('2027-01-01', '2028-01-02', 'the start')).toBe(
      'must be at most 366 days from the start',
    );
    expect(rangeIssue('2027-01-02', '2027-01-01', 'the start')).toBe('must not be before the start');
  });
});

describe('a text', () => {
  it.each([
    ['a control character', 'a\u0007b', 'must not contain control characters'],
    ['nothing visible', ' \u200b ', 'must not be empty'],
    ['too many characters', 'abcdef', 'must have at most 5 characters'],
    [
      'too many combining marks',
      `a${'\u0301'.repeat(31)}`,
      'must not have more than 30 combining marks in a row',
    ],
  ])('requests, files and the terminal refuse a line with %s by one text', (_, text, issue) => {
    expect(lineForm(5)(text)).toEqual({ issue });
    expect(lineField(5).safeParse(text).error!.issues[0]!.message).toBe(issue);
    expect(() => line(5)(text, '--name')).toThrow(`--name ${issue}`);
  });

  it('a file writes the line breaks of a line as spaces, the terminal drops those around it, requests refuse both', () => {
    expect(lineForm(9)('a\nb').issue).toBe('must not contain control characters');
    expect(lineField(9).parse('a \r\n b')).toBe('a b');
    expect(line(9)('\na b\n', '--name')).toBe('a b');
  });

  it('requests, files and the terminal accept marks of direction in a prose that end in it, and no others', () => {
    const closed = 'a\u202ab\u202c';
    expect(proseForm(9)(closed)).toEqual({ value: closed });
    expect(paragraphsField(9).parse(closed)).toBe(closed);
    expect(paragraphs(9)(closed, '--notes')).toBe(closed);
    expect(paragraphsField(9).safeParse('a\u202ab').success).toBe(false);
  });

  it('a file and the terminal write each line break of a prose as one line feed', () => {
    expect(paragraphsField(9).parse('a\rb\u2028c\r\nd')).toBe('a\nb\nc\nd');
    expect(paragraphs(9)('a\rb\r\nc', '--notes')).toBe('a\nb\nc');
  });
});
