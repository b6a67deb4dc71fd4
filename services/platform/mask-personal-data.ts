/** Replaces hidden text. */
export const HIDDEN = '…';

/** Masks `Zoë Müller` as `Z… M…`. */
export function maskName(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  return words.map((word) => `${[...word][0]}${HIDDEN}`).join(' ') || HIDDEN;
}

/** Masks `+37120000000` as `+37…00`: the country and the end help to tell two numbers apart. */
export function maskPhone(phone: string): string {
  const plus = phone.startsWith('+') ? '+' : '';
  const digits = phone.replace(/\D/g, '');
  return digits.length < 7 ? HIDDEN : `${plus}${digits.slice(0, 2)}${HIDDEN}${digits.slice(-2)}`;
}

/** Masks `zoe@example.com` as `z…@e….com`. */
export function maskEmail(email: string): string {
  const match = /^(.+)@(.+)([.][^.@]+)$/su.exec(email);
  if (!match) return HIDDEN;
  const [, box, host, ending] = match as unknown as [string, string, string, string];
  return `${[...box][0]}${HIDDEN}@${[...host][0]}${HIDDEN}${ending}`;
}
