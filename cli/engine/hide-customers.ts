import type { Output } from '../terminal/output';

/** The fields of documents that hold data of a customer. The database gives null for them to people who may not see customers. */
const OF_CUSTOMERS = [
  'customer',
  'travellers',
  'traveller',
  'external_ref',
  'octo',
  'import_ref',
  'cancel_reason',
];
/** The fields of documents that hold the text of an event or an answer to it, and the contacts of OCTO. */
const OF_EVENTS = ['body', 'response_body', 'response_headers', 'contact', 'unit_items'];

export const NOT_SHOWN = 'Data of customers is hidden: the roles that see it: desk, admin';

/** Marks each document that has data of a customer with `hidden: true`, for people who may not see customers, and says so once. */
export function hidingOutput(output: Output): Output {
  let isSaid = false;
  const sayHidden = () => {
    if (!isSaid) output.note(NOT_SHOWN);
    isSaid = true;
  };
  return {
    ...output,
    answer: async (value, text) => {
      const marked = markHidden(value) as object;
      await output.answer(marked, text);
      if (JSON.stringify(marked).includes('"hidden":true')) sayHidden();
    },
    // A note that offers --reveal would offer what is refused.
    note: (line) => (line === NOT_SHOWN || line.includes('--reveal') ? sayHidden() : output.note(line)),
  };
}

/** Returns the value with `hidden: true` in each object that has a hidden field, and with null in place of texts of events and of places of guests. */
function markHidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(markHidden);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const isPlace = 'point' in value && value.point === null;
  const fields = Object.entries(value).map(([name, inner]) => [
    name,
    OF_EVENTS.includes(name) || (isPlace && name === 'name') ? null : markHidden(inner),
  ]);
  const isAdjustment = 'amount' in value && 'reason' in value;
  const isHidden = isPlace || isAdjustment || [...OF_CUSTOMERS, ...OF_EVENTS].some((name) => name in value);
  const document = Object.fromEntries(fields) as Record<string, unknown>;
  return isHidden ? { ...document, hidden: true } : document;
}
