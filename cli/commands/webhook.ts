import type { EVENT_TYPES } from '../../services/webhook-queue/deliveries/delivery';
import type { Format } from '../../services/webhook-queue/endpoints/endpoint';
import type { Noun } from '../engine/command';
import { endsAtOnce, GRACE_FLAG, LIMIT_FLAG, OUT_FLAG } from '../engine/credential-flags';
import { afterFlag } from '../engine/list-page';
import { duration, slug, uuid, webUrl, wholeNumber } from '../engine/values';

const ID = { id: uuid };
const SAMPLE = '01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f';
/** As long as the queue lets an old secret sign. */
const LONGEST_GRACE = '7d';

/** Repeats the queue's list, because the queue is slow to load; the type checks that it is complete. */
const EVENTS = Object.keys({
  'booking.created': true,
  'booking.confirmed': true,
  'booking.cancelled': true,
  'booking.expired': true,
  'hold.expired': true,
  'endpoint.disabled': true,
} satisfies Record<(typeof EVENT_TYPES)[number], true>);

export const webhook: Noun = {
  name: 'webhook',
  about: "Addresses that are told of a tenant's bookings",
  verbs: [
    {
      usage: 'add <slug> <url>',
      about: 'Add an endpoint; its signing secret is printed this once',
      flags: [
        {
          flags: '--event <event>',
          about: 'what it is told of',
          choices: EVENTS,
          repeats: true,
          otherwise: 'booking.created',
        },
        {
          flags: '--format <format>',
          about:
            "the body: the event's fields alone, the same in Standard Webhooks' frame, or in it only what to fetch",
          choices: ['spec', 'standard', 'thin'] satisfies Format[],
          otherwise: 'spec',
        },
        OUT_FLAG,
      ],
      args: { slug, url: webUrl },
      examples: [
        'webhook add acme https://acme.example/webhooks --event booking.created --event booking.cancelled',
        'webhook add acme https://acme.example/webhooks --format standard',
      ],
      run: () => (require('./webhook/actions') as typeof import('./webhook/actions')).addWebhookCommand,
    },
    {
      usage: 'list [slug]',
      args: { slug },
      about: 'List the endpoints, of one tenant or of all',
      examples: ['webhook list acme', 'webhook list --status disabled --json'],
      flags: [
        { flags: '--status <status>', about: 'only these', choices: ['active', 'paused', 'disabled'] },
        LIMIT_FLAG,
        afterFlag('id', uuid),
      ],
      run: () => (require('./webhook/actions') as typeof import('./webhook/actions')).listWebhooksCommand,
    },
    {
      usage: 'show <id>',
      args: ID,
      about: 'Show an endpoint: its events, until when its secrets sign, how its last deliveries fared',
      run: () => (require('./webhook/actions') as typeof import('./webhook/actions')).showWebhookCommand,
    },
    {
      usage: 'rotate-secret <id>',
      args: ID,
      asks: endsAtOnce,
      about: 'Issue a new signing secret; requests carry both signatures meanwhile',
      flags: [
        {
          ...GRACE_FLAG,
          about: `how long the old secret signs as well, ${LONGEST_GRACE} at most; 0 ends it at once`,
          parse: duration({ zero: true, most: LONGEST_GRACE }),
        },
        OUT_FLAG,
      ],
      examples: [`webhook rotate-secret ${SAMPLE} --grace 48h`],
      run: () => (require('./webhook/actions') as typeof import('./webhook/actions')).rotateSecretCommand,
    },
    {
      usage: 'pause <id>',
      args: ID,
      about: 'Send nothing until it is resumed; what comes in meanwhile waits',
      run: () => (require('./webhook/actions') as typeof import('./webhook/actions')).pauseWebhookCommand,
    },
    {
      usage: 'resume <id>',
      args: ID,
      about: 'Send again after a pause',
      run: () => (require('./webhook/actions') as typeof import('./webhook/actions')).resumeWebhookCommand,
    },
    {
      usage: 'disable <id>',
      args: ID,
      about:
        "Send nothing until it is enabled, and tell the tenant's endpoints that ask for endpoint.disabled",
      run: () => (require('./webhook/actions') as typeof import('./webhook/actions')).disableWebhookCommand,
    },
    {
      usage: 'enable <id>',
      args: ID,
      about: "Send again after it was disabled, by the receiver's answers or by disable",
      run: () => (require('./webhook/actions') as typeof import('./webhook/actions')).enableWebhookCommand,
    },
    {
      usage: 'remove <id>',
      args: ID,
      asks: () => true,
      about: 'Remove it for good, and cancel what waits for it',
      run: () => (require('./webhook/actions') as typeof import('./webhook/actions')).removeWebhookCommand,
    },
    {
      usage: 'ping <id>',
      args: ID,
      about: 'Send it a signed test event',
      run: () => (require('./webhook/actions') as typeof import('./webhook/actions')).pingWebhookCommand,
    },
    {
      usage: 'listen',
      about:
        'Print and verify what arrives on a local port, until Ctrl-C; the signing secret is read from standard input or ' +
        'asked for (--json: one line for each request)',
      flags: [
        { flags: '--port <port>', about: 'on 127.0.0.1', parse: wholeNumber(1, 65_535), otherwise: '4000' },
      ],
      examples: ['webhook listen --port 4000 < secret.txt'],
      runOffline: () => (require('./webhook/listen') as typeof import('./webhook/listen')).listenCommand,
    },
  ],
};
