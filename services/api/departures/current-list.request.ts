import type { ApiContext } from '../http/api-context';
import { contentKib } from '../http/cached-answers';
import type { AnswerContent } from '../http/caching';
import type { AvailabilityCache } from './availability-cache';

/** Returns a function that lists the departures. It reads them again after a seat of the tour has changed, or after two seconds. */
export function currentList(
  { answers, availability }: Pick<ApiContext, 'answers'> & { availability: AvailabilityCache },
  key: string | undefined,
  seats: { id: string; sandbox: boolean; revision: number },
  list: () => Promise<AnswerContent>,
): () => Promise<AnswerContent> {
  let latest: string | undefined;
  return async () => {
    // Without a valid read cache the version would be one more query.
    const version =
      key && answers.isValid()
        ? await availability.seatsVersion(seats.id, seats.sandbox, seats.revision)
        : undefined;
    if (version === undefined) return list();
    if (latest !== undefined && latest !== version) answers.drop(`${key} ${latest}`);
    latest = version;
    return answers.get(`${key} ${version}`, async () => {
      const content = await list();
      return { value: content, until: Infinity, size: contentKib(content) };
    });
  };
}
