import { isIP } from 'node:net';
import { namesInside } from '../sending/public-address';
import { InvalidWebhookUrlError } from '../webhook.errors';

const LENGTH_MAX = 2048;

/**
 * The address as it will be called. What cannot be right is refused here, with the reason; where the name leads is judged
 * again at every delivery (resolve-target.ts).
 * @throws InvalidWebhookUrlError
 */
export function parseEndpointUrl(text: string, allowPrivateTargets: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new InvalidWebhookUrlError('it is not an address such as https://example.com/webhooks');
  if (url.href.length > LENGTH_MAX)
    throw new InvalidWebhookUrlError(`it is longer than ${LENGTH_MAX} characters`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new InvalidWebhookUrlError('it must begin with https://');
  if (url.username || url.password)
    throw new InvalidWebhookUrlError('it must not hold a user name or password');
  if (url.hash) throw new InvalidWebhookUrlError('it must not have a #fragment: that is never sent');
  if (!allowPrivateTargets) refusePrivate(url);
  return url.href;
}

function refusePrivate(url: URL): void {
  if (url.protocol === 'http:')
    throw new InvalidWebhookUrlError(unlessAllowed('it must begin with https://'));
  // WHATWG has turned every spelling (0x7f.1, 2130706433, circled digits) into the plain one by now.
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host)) throw new InvalidWebhookUrlError(unlessAllowed('it must name a host, not an IP address'));
  if (namesInside(host)) {
    throw new InvalidWebhookUrlError(unlessAllowed('its host is not a public name'));
  }
}

function unlessAllowed(reason: string): string {
  return `${reason} (unless WEBHOOK_ALLOW_PRIVATE_TARGETS is on)`;
}
