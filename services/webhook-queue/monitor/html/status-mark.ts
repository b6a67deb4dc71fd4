import { html, type Markup } from '../../../platform/html-template';
import type { DeliveryStatus } from '../../deliveries/delivery';
import type { EndpointStatus } from '../../endpoints/endpoint';

/** How a thing is, as a colour beside its word. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle';

const DELIVERY_TONES: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: 'idle',
  delivering: 'busy',
  delivered: 'good',
  retrying: 'warn',
  dead: 'bad',
  cancelled: 'idle',
};

const ENDPOINT_TONES: Readonly<Record<EndpointStatus, Tone>> = {
  active: 'good',
  paused: 'warn',
  disabled: 'bad',
  removed: 'idle',
};

export function deliveryMark(status: DeliveryStatus): Markup {
  return mark(DELIVERY_TONES[status], status);
}

export function endpointMark(status: EndpointStatus): Markup {
  return mark(ENDPOINT_TONES[status], status);
}

/** The word says it; the colour only helps to find it. */
export function mark(tone: Tone, text: string): Markup {
  return html`<span class="mark ${tone}">${text}</span>`;
}
