import type { EVENT_TYPES } from '../../services/webhook-queue/deliveries/delivery';
import type { Format } from '../../services/webhook-queue/endpoints/endpoint';
import { flag, type Noun } from '../engine/command';
import { endsAtOnce, GRACE_FLAG, OUT_FLAG } from '../engine/credential-flags';
import { afterFlag, LIMIT_FLAG } from '../engine/flags';
import { duration, slug, uuid, webUrl, wholeNumber } from '../engine/values';

const ID = { id: uuid };
const SAMPLE = '01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f';
/** The queue lets an old secret sign for at most this long. */
const LONGEST_GRACE = '7d';

/** Repeats the queue's list, because the queue is slow to load; the type checks that it is complete. */
const EVENTS = Object.keys({
  'booking.created': true,
  'booking.confirmed': true,
  'booking.updated': true,
  'booking.cancelled': true,
  'booking.expired': true,
  'hold.expired': true,
  'departure.cancelled': true,
  'departure.updated': true,
  'endpoint.disabled': true,
} satisfies Record<(typeof EVENT_TYPES)[number], true>);

const actions = () => require('./webhook/actions') as typeof import('./webhook/actions');

export const webhook: Noun = {
  name: 'webhook',
  about: "Manage the endpoints that receive a tenant's events",
  verbs: [
    {
      usage: 'add <slug> <url>',
      about: 'Add an endpoint; its signing secret is printed only once',
      flags: [
        flag('--event <event>', 'which events it receives', {
          choices: EVENTS,
          repeats: true,
          otherwise: 'booking.created',
        }),
        flag(
          '--format <format>',
          "the body: the event's fields alone, the same as a Standard Webhooks message, or such a message with only the address to fetch",
          { choices: ['spec', 'standard', 'thin'] satisfies Format[], otherwise: 'spec' },
        ),
        OUT_FLAG,
      ],
      args: { slug, url: webUrl },
      examples: [
        'webhook add acme https://acme.example/webhooks --event booking.created --event booking.cancelled',
        'webhook add acme https://acme.example/webhooks --event departure.cancelled --event departure.updated',
        'webhook add acme https://acme.example/webhooks --format standard',
      ],
      run: () => actions().addWebhookCommand,
    },
    {
      usage: 'list [slug]',
      args: { slug },
      about: 'List the endpoints of one tenant, or of all tenants',
      examples: ['webhook list acme', 'webhook list --status disabled --json'],
      flags: [
        flag('--status <status>', 'only in this status', { choices: ['active', 'paused', 'disabled'] }),
        LIMIT_FLAG,
        afterFlag('id', uuid),
      ],
      run: () => actions().listWebhooksCommand,
    },
    {
      usage: 'show <id>',
      args: ID,
      about: 'Show an endpoint with its events, the expiry of its secrets and its last deliveries',
      run: () => actions().showWebhookCommand,
    },
    {
      usage: 'rotate-secret <id>',
      args: ID,
      asks: endsAtOnce,
      about: 'Issue a new signing secret; until the grace ends, requests carry both signatures',
      flags: [
        {
          ...GRACE_FLAG,
          about: `how long the old secret signs as well, ${LONGEST_GRACE} at most; 0 ends it at once`,
          parse: duration({ zero: true, most: LONGEST_GRACE }),
        },
        OUT_FLAG,
      ],
      examples: [`webhook rotate-secret ${SAMPLE} --grace 48h`],
      run: () => actions().rotateSecretCommand,
    },
    {
      usage: 'pause <id>',
      args: ID,
      about: 'Send nothing to an endpoint until it is resumed; its deliveries wait',
      run: () => actions().pauseWebhookCommand,
    },
    {
      usage: 'resume <id>',
      args: ID,
      about: 'Send again after a pause',
      run: () => actions().resumeWebhookCommand,
    },
    {
      usage: 'disable <id>',
      args: ID,
      about:
        'Send nothing to an endpoint until it is enabled, and send endpoint.disabled to endpoints that subscribe to it',
      run: () => actions().disableWebhookCommand,
    },
    {
      usage: 'enable <id>',
      args: ID,
      about: 'Send again after failures or the verb disable have disabled an endpoint',
      run: () => actions().enableWebhookCommand,
    },
    {
      usage: 'remove <id>',
      args: ID,
      asks: () => true,
      about: 'Remove an endpoint permanently, and cancel the deliveries that wait for it',
      run: () => actions().removeWebhookCommand,
    },
    {
      usage: 'ping <id>',
      args: ID,
      about: 'Send a signed test event to an endpoint',
      run: () => actions().pingWebhookCommand,
    },
    {
      usage: 'listen',
      about:
        'Print and verify requests to a local port, until Ctrl-C; the signing secret is read from standard input or ' +
        'asked for (--json: one line for each request)',
      flags: [
        flag('--port <port>', 'the port on 127.0.0.1', { parse: wholeNumber(1, 65_535), otherwise: '4000' }),
      ],
      examples: ['webhook listen --port 4000 < secret.txt'],
      runOffline: () => (require('./webhook/listen') as typeof import('./webhook/listen')).listenCommand,
    },
  ],
};
