import { HIDDEN, maskEmail, maskName, maskPhone } from '../../../platform/mask-personal-data';

/** Masks the customer's name, phone and email in a body of any format. Hides a body that is not JSON. */
export function maskBody(body: string): string {
  try {
    return JSON.stringify(maskCustomers(JSON.parse(body)));
  } catch {
    return HIDDEN;
  }
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

/** Keeps null: an unset field is not personal data. */
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

function mapValues(record: Record<string, unknown>, convert: (value: unknown, key: string) => unknown) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value, key)]));
}
