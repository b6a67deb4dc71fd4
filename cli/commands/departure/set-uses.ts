import { findTour } from '../../../services/api/catalog/find-tour';
import { USES } from '../../../services/api/catalog-import/uses-field';
import type { NamedDeparture } from '../../../services/api/departures/find-departures';
import { setUses, type UseOfResource } from '../../../services/api/seats/changes/set-uses';
import { performBulk } from '../../../services/api/seats/perform';
import { changeSeats } from '../../engine/change-seats';
import type { Verb } from '../../engine/command';
import type { AuditedContext } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { departureOnDate } from '../../engine/values';
import { nameOf, nameOfDeparture, toDepartureDocument } from './document';

/** Words in place of resources: the departure uses none, or those of its tour. */
const NONE = 'none';
const OF_TOUR = 'tour';

export const setUsesVerb: Verb = {
  usage: 'set-uses <tour> <date> <uses...>',
  about:
    'Give a departure its own boats, buses or guides: codes of resources, none, or tour for those of its tour; refused if what is sold needs others',
  args: { date: departureOnDate },
  check: (_: object, __: unknown, ___: unknown, words: string[]) => void readUses(words),
  examples: [
    'departure set-uses lisbon-tram 2027-06-05 boat-maria maria',
    'departure set-uses reef 2027-06-05T09:30 boat-maria:shared,minutes=90',
    'departure set-uses lisbon-tram 2027-06-05 none',
  ],
  audits: true,
  run: setUsesCommand,
};

async function setUsesCommand(
  context: AuditedContext,
  _: object,
  idOrSlug: string,
  named: NamedDeparture,
  words: string[],
): Promise<void> {
  const uses = readUses(words);
  const tour = await findTour(context.db, idOrSlug);
  const document = await changeSeats(context, { action: 'departure.set-uses' }, async (transaction, note) => {
    const changed = await performBulk(transaction, await setUses(transaction.trx, tour, named, uses));
    const subject = `${tour.slug} ${nameOfDeparture(changed.before)}`;
    note({ uses: changed.uses.before }, { uses: changed.uses.after }, { subject });
    return { ...toDepartureDocument(tour.slug, changed.after), uses: changed.uses.after };
  });
  await context.output.answer(
    document,
    () => `${tour.slug} on ${nameOf(document)} uses ${describeUses(document.uses)}`,
  );
}

function describeUses(uses: object[] | null): string {
  if (uses === null) return 'what its tour uses';
  return uses.length === 0 ? 'nothing' : (uses as UseOfResource[]).map(({ resource }) => resource).join(', ');
}

/** Reads `none`, `tour`, the JSON list of a catalog file, or words such as `boat-maria:shared,minutes=180`. @throws UsageError */
function readUses(words: string[]): UseOfResource[] | null {
  const [word] = words as [string];
  if (words.length === 1 && word === OF_TOUR) return null;
  if (words.length === 1 && word === NONE) return [];
  const { data, error } = USES.safeParse(
    word.startsWith('[') ? readJson(words.join(' ')) : words.map(readUse),
  );
  if (data) return data;
  const [{ path, message }] = error.issues as [(typeof error.issues)[number]];
  throw new UsageError(`<uses> ${path.join('.')} ${message}`.replace('  ', ' '));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads `boat-maria:shared,minutes=180,before=30m,after=1h`. */
function readUse(word: string): unknown {
  const [resource, ...rest] = word.split(':');
  const parts = rest.join(':').split(',').filter(Boolean);
  return Object.fromEntries([['resource', resource], ...parts.map(readPart)]);
}

function readPart(part: string): [name: string, value: unknown] {
  const [name = '', text] = part.split('=');
  if (name === 'shared')
    return [name, ({ true: true, false: false } as Record<string, boolean>)[text ?? 'true'] ?? text];
  return [name, name === 'minutes' && text !== undefined ? Number(text) : text];
}
