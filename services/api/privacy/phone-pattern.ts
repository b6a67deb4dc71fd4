const GAP = ' ?';
/** A shorter national number is only found together with its prefix. */
const LEAST_NATIONAL = 6;
/** Country codes of two digits; 1 and 7 have one digit, the others three (E.164). */
const TWO_DIGITS = /^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/**
 * Builds a pattern that finds a phone number in international and national form, in groups or not, and never within more
 * digits: for +4930901820 also `0049 30 901820` and `030-901820`.
 * @param phone with `+` or `00`, or in national form
 * @returns a pattern for texts whose other characters are replaced by single spaces; undefined for less than five digits
 */
export function phonePattern(phone: string): RegExp | undefined {
  const digits = phone.replace(/[^0-9]/g, '');
  if (digits.length < 5) return undefined;
  const international = /^\s*\+/.test(phone) ? digits : /^00/.test(digits) ? digits.slice(2) : undefined;
  if (international !== undefined) {
    const length = /^[17]/.test(international) ? 1 : TWO_DIGITS.test(international) ? 2 : 3;
    const rest = international.slice(length);
    const isLong = rest.length >= LEAST_NATIONAL;
    return whole(
      `(?:0{0,2}${apart(international.slice(0, length))}${GAP})${isLong ? '?' : ''}(?:0${GAP})?${apart(rest)}`,
    );
  }
  if (digits.startsWith('0')) {
    const abroad = `(?:(?:00${GAP})?[0-9]{1,3}${GAP})?`;
    return whole(`${digits.length > LEAST_NATIONAL ? abroad : ''}(?:0${GAP})?${apart(digits.slice(1))}`);
  }
  return whole(apart(digits));
}

function apart(digits: string): string {
  return [...digits].join(GAP);
}

function whole(pattern: string): RegExp {
  return new RegExp(`(?<![0-9])(?:${pattern})(?![0-9])`);
}
