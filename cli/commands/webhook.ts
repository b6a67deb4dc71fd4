import type { Format } from '../../services/webhook-queue/endpoints/endpoint';
import { flag, type Noun } from '../engine/command';
import { UsageError } from '../engine/failure';
import { endsAtOnce, GRACE_FLAG, OUT_FLAG } from '../engine/credential-flags';
import { afterFlag, LIST_FLAGS } from '../engine/flags';
import { EVENTS } from './webhook/events';
import type { WebhookSettings } from './webhook/settings';
import { duration, slug, uuid, webUrl, wholeNumber } from '../engine/values';

const ID = { id: uuid };
const SAMPLE = '01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f';
/** The queue lets an old secret sign for at most this long. */
const LONGEST_GRACE = '7d';

const FORMAT_FLAG = flag(
  '--format <format>',
  "the body: the event's fields alone, the same as a Standard Webhooks message, or such a message with only the address to fetch",
  { choices: ['spec', 'standard', 'thin'] satisfies Format[] },
);

const actions = () => require('./webhook/actions') as typeof import('./webhook/actions');
const settings = () => require('./webhook/settings') as typeof import('./webhook/settings');

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
        { ...FORMAT_FLAG, otherwise: 'spec' },
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
        ...LIST_FLAGS,
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
      usage: 'set <id>',
      args: ID,
      about: 'Change the address, the events or the format of an endpoint; its signing secret stays',
      flags: [
        flag('--url <url>', 'the new address; deliveries that wait go there', { parse: webUrl }),
        flag('--event <event>', 'which events it receives, instead of those of now', {
          choices: EVENTS,
          repeats: true,
        }),
        FORMAT_FLAG,
      ],
      check: ({ url, event, format }: WebhookSettings) => {
        if ((url ?? event ?? format) === undefined)
          throw new UsageError('one of --url, --event and --format must be given');
      },
      examples: [
        `webhook set ${SAMPLE} --url https://acme.example/new-webhooks`,
        `webhook set ${SAMPLE} --event booking.created --event booking.cancelled`,
      ],
      run: () => settings().setWebhookCommand,
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
      about: 'Send again to an endpoint that failures or webhook disable have disabled',
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
      usage: 'trigger <id>',
      args: ID,
      about:
        'Send a signed test event of a type to an endpoint: its source and references are "test", its ids are zero',
      flags: [flag('--event <event>', 'the type of the event', { choices: EVENTS, must: true })],
      examples: [`webhook trigger ${SAMPLE} --event booking.created`],
      run: () => settings().triggerWebhookCommand,
    },
    {
      usage: 'listen',
      about:
        'Print and verify requests to a local port, until Ctrl-C; the signing secret is read from standard input or ' +
        'asked for (--json: one line for each request)',
      flags: [
        flag('--port <port>', 'the port on 127.0.0.1', { parse: wholeNumber(1, 65_535), otherwise: '4000' }),
        flag('--forward-to <url>', 'send verified requests on to this address, and answer as it does', {
          parse: webUrl,
        }),
      ],
      examples: [
        'webhook listen --port 4000 < secret.txt',
        'webhook listen --forward-to http://127.0.0.1:8000/webhooks < secret.txt',
      ],
      runOffline: () => (require('./webhook/listen') as typeof import('./webhook/listen')).listenCommand,
    },
  ],
};
