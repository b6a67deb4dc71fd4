import { html, type Markup } from '../../../platform/html-template';
import type { EndpointRow, StateChange } from '../queries/endpoints.repository';

import { endpointMark, mark } from '../html/components';
import { formatMilliseconds, timeElement, formatRelative } from '../html/formats';

type Health = Pick<EndpointRow, 'now' | 'status' | 'failures' | 'openings' | 'blockedUntil' | 'failingSince'>;

/** Renders the breaker: `closed`, `open until …, opened n times`, `trying`. */
export function breakerText({ now, status, failures, openings, blockedUntil }: Health): Markup {
  if (status !== 'active') return html`–`;
  if (!openings) {
    const row = failures ? `, ${failures === 1 ? 'one failure' : `${failures} failures in a row`}` : '';
    return html`closed${row}`;
  }
  const often = openings === 1 ? 'opened once' : `opened ${openings} times in a row`;
  if (blockedUntil && blockedUntil > now)
    return html`${mark('bad', 'open')} until ${timeElement(blockedUntil)}
    (${formatRelative(blockedUntil, now)}), ${often}`;
  return html`${mark('warn', 'trying')} one request at a time, ${often}`;
}

/** Renders the status, or the problem of an active endpoint. */
export function stateMarks({ now, status, openings, blockedUntil, failingSince }: Health): Markup {
  const isFailing = status === 'active' && Boolean(openings);
  if (!isFailing) return endpointMark(status);
  const word =
    blockedUntil && blockedUntil > now ? mark('bad', 'breaker open') : mark('warn', 'trying again');
  return html`${word}${failingSince && html` <span class="soft">failing for ${formatMilliseconds(now.getTime() - failingSince.getTime())}</span>`}`;
}

/** Names the operator who set the current state. A change and its audit row have the same time. */
export function changedBy(
  { statusSince }: Pick<EndpointRow, 'statusSince'>,
  change: StateChange | undefined,
): string {
  return change && change.at.getTime() === statusSince.getTime() ? `, by ${change.actor}` : '';
}
