import { isIP } from 'node:net';
import { InvalidWebhookUrlError } from '../webhook.errors';
import { isInternalName, refusedPortReason } from './allowed-target';
import { AttemptError } from './explain-failure';

/**
 * Decides which URLs webhooks are sent to: when an endpoint is added, and again before each attempt. allowed-target.ts lists the
 * ports, names and addresses; resolve-target.ts checks the addresses of the host at every attempt.
 */

const LENGTH_MAX = 2048;

/**
 * Parses and checks the URL of a new endpoint.
 * @param allowPrivateTargets WEBHOOK_ALLOW_PRIVATE_TARGETS
 * @throws InvalidWebhookUrlError
 */
export function parseEndpointUrl(text: string, allowPrivateTargets: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new InvalidWebhookUrlError('it is not a URL such as https://example.com/webhooks');
  if (url.href.length > LENGTH_MAX)
    throw new InvalidWebhookUrlError(`it is longer than ${LENGTH_MAX} characters`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new InvalidWebhookUrlError('it must begin with https://');
  if (url.username || url.password)
    throw new InvalidWebhookUrlError('it must not contain a user name or password');
  if (url.hash) throw new InvalidWebhookUrlError('it must not have a #fragment, which is never sent');
  if (!allowPrivateTargets) refusePrivate(url);
  const reason = refusedPortReason(url, allowPrivateTargets);
  if (reason) throw new InvalidWebhookUrlError(reason);
  return url.href;
}

function refusePrivate(url: URL): void {
  if (url.protocol === 'http:')
    throw new InvalidWebhookUrlError(unlessAllowed('it must begin with https://'));
  // The URL parser has already normalised every spelling (0x7f.1, 2130706433, circled digits).
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host)) throw new InvalidWebhookUrlError(unlessAllowed('it must name a host, not an IP address'));
  if (isInternalName(host)) {
    throw new InvalidWebhookUrlError(unlessAllowed('its host is not a public name'));
  }
}

function unlessAllowed(reason: string): string {
  return `${reason} (unless WEBHOOK_ALLOW_PRIVATE_TARGETS is on, in this shell and for the webhook queue, which reads it at its start)`;
}

/**
 * Repeats the checks of scheme and port before each attempt, because the settings and the port list may have changed since.
 * @throws AttemptError `blocked`
 */
export function refuseTarget(url: URL, allowPrivateTargets: boolean): void {
  if (!allowPrivateTargets && url.protocol !== 'https:')
    throw new AttemptError(
      'blocked',
      'The address is not https: http requires WEBHOOK_ALLOW_PRIVATE_TARGETS.',
    );
  const reason = refusedPortReason(url, allowPrivateTargets);
  if (reason) throw new AttemptError('blocked', `The address is refused: ${reason}.`);
}
