import { jsonAnswer, NO_STORE, type ProxyAnswer, REVALIDATE } from './answer.ts';
import { namesTag } from './kept-answers.ts';
import { type AnswerKind, visible } from './visible.ts';
import type { ProxyParts, Visit } from './visit.ts';

export function listTours(parts: ProxyParts, visit: Visit): Promise<ProxyAnswer> {
  return keptAnswer(parts, visit, '/api/tenant/catalog', 'tours');
}

/** Names the most seats of a hold too, so that a page lets its visitors choose no more. */
export async function readTour(parts: ProxyParts, visit: Visit): Promise<ProxyAnswer> {
  const answer = await keptAnswer(parts, visit, `/api/tenant/tours/${visit.slug}`, 'tour');
  return { ...answer, headers: { ...answer.headers, 'Seats-Max': `${parts.limits.seatsMax}` } };
}

export function listDepartures(parts: ProxyParts, visit: Visit): Promise<ProxyAnswer> {
  return keptAnswer(parts, visit, `/api/tenant/tours/${visit.slug}/departures`, 'departures');
}

/** Asks the platform each time, whose own cache answers. */
export async function checkAvailability({ call }: ProxyParts, { slug, query }: Visit): Promise<ProxyAnswer> {
  const response = await call({ path: `/api/gateway/tours/${slug}/availability`, query });
  return jsonAnswer(200, visible(response.json, 'availability'), { 'Cache-Control': NO_STORE });
}

async function keptAnswer(
  { kept }: ProxyParts,
  { query, ifNoneMatch }: Visit,
  path: string,
  kind: AnswerKind,
): Promise<ProxyAnswer> {
  const { tag, body, language } = await kept.read(path, query, kind);
  const headers: Record<string, string> = { 'Cache-Control': REVALIDATE, ETag: tag };
  if (language !== null) headers['Content-Language'] = language;
  if (namesTag(ifNoneMatch, tag)) return { status: 304, headers };
  return { status: 200, headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers }, body };
}
