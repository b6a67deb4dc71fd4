/** Fields that every success of a call has, by the end of its address. A booking without booking_ref is not the platform's answer. */
const FIELDS: [path: RegExp, fields: string[]][] = [
  [/\/tenant\/catalog$/, ['items', 'next_cursor']],
  [/\/tenant\/catalog\/filters$/, ['continents']],
  [/\/tenant\/tours\/[^/]+$/, ['id', 'slug']],
  [/\/tenant\/tours\/[^/]+\/departures$/, ['items', 'next_cursor']],
  [/\/gateway\/tours\/[^/]+\/availability$/, ['available', 'status']],
  [/\/gateway\/tours\/[^/]+\/hold$/, ['hold_id', 'status']],
  [/\/gateway\/holds\/[^/]+(\/extend)?$/, ['hold_id', 'status']],
  [/\/tenant\/bookings\/[^/]+(\/confirm|\/cancel)?$/, ['booking_ref', 'status']],
];
const LIST = ['items', 'next_cursor'];

/** Returns the fields of a success. The lists of holds and bookings have the path of the calls that create one. */
function fieldsOf(method: string, address: string): string[] {
  if (/\/gateway\/holds$/.test(address)) return LIST;
  if (/\/tenant\/bookings$/.test(address)) return method === 'GET' ? LIST : ['booking_ref', 'status'];
  return FIELDS.find(([pattern]) => pattern.test(address))?.[1] ?? [];
}

/**
 * Describes a success that the platform cannot have sent, such as the page of a proxy, and says what to check. Looks only at the fields by
 * which each answer is known.
 * @param answer the JSON object of the body, as jsonObjectOf returns it
 * @returns undefined: the answer is the platform's
 */
export function foreignAnswerDetail(
  { method, url }: Pick<Request, 'method' | 'url'>,
  status: number,
  answer: Record<string, unknown> | undefined,
): string | undefined {
  if (method === 'DELETE' && status === 204) return undefined;
  const [address] = url.split('?', 1);
  const missing = fieldsOf(method, address!).find((field) => answer?.[field] === undefined);
  if (answer && missing === undefined) return undefined;
  const fault = answer ? `has no ${missing}` : 'is not a JSON object';
  return `The success from ${new URL(url).origin} ${fault}: it is not from the platform. Check baseUrl, and the proxies on the way.`;
}

const JSON_TYPE = /^application\/(problem\+)?json\b/;

/** Returns the JSON object of an answer or a problem. Undefined: its body is none. */
export function jsonObjectOf(
  contentType: string | null | undefined,
  body: string,
): Record<string, unknown> | undefined {
  if (!JSON_TYPE.test(contentType ?? '')) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Describes a redirect, and says what to set. @param location the header, which may be relative or missing */
export function redirectDetail({ url }: Pick<Request, 'url'>, location: string | null): string {
  const { origin } = new URL(url);
  const target = location !== null && URL.canParse(location, url) ? new URL(location, url).origin : origin;
  const to = target === origin ? 'to another path' : `to ${target}`;
  const cure =
    target === origin ? 'the address of the platform, without a path' : `${target} if that is the platform`;
  return `${origin} redirects ${to}. The client follows no redirect: set baseUrl to ${cure}.`;
}
