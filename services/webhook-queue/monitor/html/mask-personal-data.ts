const HIDDEN = '…';

/**
 * The body with the customer's name, phone and email made unreadable, in whatever format it is; nothing of a body that
 * is not JSON.
 */
export function maskBody(body: string): string {
  try {
    return JSON.stringify(maskCustomers(JSON.parse(body)));
  } catch {
    return HIDDEN;
  }
}

/** `Zoë Müller` is `Z… M…`. */
export function maskName(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  return words.map((word) => `${[...word][0]}${HIDDEN}`).join(' ') || HIDDEN;
}

/** `+37120000000` is `+37…00`: country and end, by which one tells two apart. */
export function maskPhone(phone: string): string {
  const plus = phone.startsWith('+') ? '+' : '';
  const digits = phone.replace(/\D/g, '');
  return digits.length < 7 ? HIDDEN : `${plus}${digits.slice(0, 2)}${HIDDEN}${digits.slice(-2)}`;
}

/** `zoe@example.com` is `z…@e….com`. */
export function maskEmail(email: string): string {
  const match = /^(.+)@(.+)([.][^.@]+)$/su.exec(email);
  if (!match) return HIDDEN;
  const [, box, host, ending] = match as unknown as [string, string, string, string];
  return `${[...box][0]}${HIDDEN}@${[...host][0]}${HIDDEN}${ending}`;
}

function maskCustomers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskCustomers);
  if (!isRecord(value)) return value;
  return mapValues(value, (inner, key) => (key === 'customer' ? maskCustomer(inner) : maskCustomers(inner)));
}

const MASKS: Readonly<Record<string, (text: string) => string>> = {
  name: maskName,
  phone: maskPhone,
  email: maskEmail,
};

/** What is not there stays not there: that says something, and nothing of anybody. */
function maskCustomer(customer: unknown): unknown {
  if (customer === null) return null;
  if (!isRecord(customer)) return HIDDEN;
  return mapValues(customer, (value, key) => {
    if (value === null) return null;
    const mask = Object.hasOwn(MASKS, key) ? MASKS[key] : undefined;
    return mask && typeof value === 'string' ? mask(value) : HIDDEN;
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(record: Record<string, unknown>, change: (value: unknown, key: string) => unknown) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
