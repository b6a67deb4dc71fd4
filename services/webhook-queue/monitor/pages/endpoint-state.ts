import { html, type Markup } from '../../../platform/html-template';
import type { EndpointRow } from '../queries/endpoint-list.repository';
import type { StateChange } from '../queries/state-change.repository';
import { endpointMark, mark } from '../html/status-mark';
import { duration, moment, relative } from '../html/time-forms';

type Health = Pick<EndpointRow, 'now' | 'status' | 'failures' | 'openings' | 'blockedUntil' | 'failingSince'>;

/** `closed`, `open until …, opened n times`, `trying`. */
export function breakerText({ now, status, failures, openings, blockedUntil }: Health): Markup {
  if (status !== 'active') return html`–`;
  if (!openings) {
    const row = failures ? `, ${failures === 1 ? 'one failure' : `${failures} failures in a row`}` : '';
    return html`closed${row}`;
  }
  const often = openings === 1 ? 'opened once' : `opened ${openings} times in a row`;
  if (blockedUntil && blockedUntil > now)
    return html`${mark('bad', 'open')} until ${moment(blockedUntil)} (${relative(blockedUntil, now)}),
    ${often}`;
  return html`${mark('warn', 'trying')} one request at a time, ${often}`;
}

/** The status, and what is wrong with an active endpoint. */
export function stateMarks({ now, status, openings, blockedUntil, failingSince }: Health): Markup {
  const sick = status === 'active' && Boolean(openings);
  if (!sick) return endpointMark(status);
  const word =
    blockedUntil && blockedUntil > now ? mark('bad', 'breaker open') : mark('warn', 'trying again');
  return html`${word}${failingSince && html` <span class="soft">failing for ${duration(now.getTime() - failingSince.getTime())}</span>`}`;
}

/** Who gave it the state that it has, where that was a person: the change and its audit row are of one moment. */
export function changedBy(
  { statusSince }: Pick<EndpointRow, 'statusSince'>,
  change: StateChange | undefined,
): string {
  return change && change.at.getTime() === statusSince.getTime() ? `, by ${change.actor}` : '';
}
