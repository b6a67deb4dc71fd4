import { withoutInvisible } from '../../services/platform/forms/text-forms';

describe('a text of one line', () => {
  it.each([
    ['a byte order mark', '\ufeffAna Lima'],
    ['a zero-width space', 'Ana\u200b Lima'],
    ['a mark of the left-to-right direction', 'Ana Lima\u200e'],
    ['a mark of the right-to-left direction', '\u200fAna Lima'],
    ['an Arabic letter mark', 'Ana\u061c Lima'],
    ['a soft hyphen', 'A\u00adna Lima'],
    ['a word joiner', 'Ana\u2060 Lima'],
    ['an invisible operator', 'Ana\u2064 Lima'],
    ['a joiner between Latin letters', 'An\u200da Lima'],
    ['a non-joiner between Latin letters', 'An\u200ca Lima'],
    ['a joiner after an invisible character', 'Ana\u061c\u200d Lima'],
    ['a joiner after a variation selector that selects nothing', 'Ana\u180b\u200d Lima'],
    ['a variation selector after a Latin letter', 'Ana\ufe0f Lima'],
    ['a Hangul filler', 'Ana\u3164 Lima'],
    ['a combining grapheme joiner', 'Ana\u034f Lima'],
    ['tags', 'Ana\u{e0041}\u{e0042} Lima'],
    ['an anchor of an annotation', 'Ana\ufff9 Lima'],
  ])('withoutInvisible removes %s from a text', (_, text) => {
    expect(withoutInvisible(text)).toBe('Ana Lima');
  });

  it.each([
    ['the non-joiner of Persian', 'می\u200cخواهم'],
    ['the joiner of Sinhala', 'ශ්\u200dරී'],
    ['the joiner at the end of a Malayalam word', 'അവന്\u200d'],
    ['the non-joiner of Bengali', 'র\u200c্য'],
    ['the vowel separator of Mongolian', 'ᠨᠠᠷ\u180eᠠ'],
    ['the variant of a Japanese letter', '葛\u{e0100}城'],
    ['a picture of several parts', '👩\u200d👩\u200d👧 Ana 🏳\ufe0f\u200d🌈'],
    ['a picture with a colour of the skin', '👩🏽\u200d🚀'],
    ['a heart in colour', 'Ana ❤\ufe0f'],
    ['the flag of a region', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Skye'],
    ['accents and marks of other scripts', 'José Nguyễn อานนท์ שָׁלוֹם 北京'],
  ])('withoutInvisible keeps %s in a text', (_, text) => {
    expect(withoutInvisible(text)).toBe(text);
  });

  it('withoutInvisible removes the second joiner where a script needs only one', () => {
    expect(withoutInvisible('می\u200c\u200c\u200dخواهم')).toBe('می\u200cخواهم');
  });
});
