import type { Noun } from '../../command';
import { endsAtOnce, GRACE_FLAG, LIMIT_FLAG, OUT_FLAG } from '../../credential-flags';
import { eventType, webUrl } from '../../values';

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
          parse: eventType,
          repeats: true,
          otherwise: 'booking.created',
        },
        OUT_FLAG,
      ],
      args: { url: webUrl },
      examples: [
        'webhook add acme https://acme.example/webhooks --event booking.created --event booking.cancelled',
      ],
      run: () => (require('./add') as typeof import('./add')).addWebhookCommand,
    },
    {
      usage: 'list [slug]',
      about: 'List the endpoints, of one tenant or of all',
      flags: [LIMIT_FLAG],
      run: () => (require('./list') as typeof import('./list')).listWebhooksCommand,
    },
    {
      usage: 'rotate-secret <id>',
      asks: endsAtOnce,
      about: 'Issue a new signing secret; requests carry both signatures meanwhile',
      flags: [{ ...GRACE_FLAG, about: 'how long the old secret signs as well; 0 ends it at once' }, OUT_FLAG],
      run: () => (require('./rotate-secret') as typeof import('./rotate-secret')).rotateSecretCommand,
    },
    {
      usage: 'pause <id>',
      about: 'Send nothing until it is resumed; what comes in meanwhile waits',
      run: () => (require('./change-state') as typeof import('./change-state')).pauseWebhookCommand,
    },
    {
      usage: 'resume <id>',
      about: 'Send again, after a pause or after it was disabled',
      run: () => (require('./change-state') as typeof import('./change-state')).resumeWebhookCommand,
    },
    {
      usage: 'remove <id>',
      asks: () => true,
      about: 'Remove it for good, and cancel what waits for it',
      run: () => (require('./change-state') as typeof import('./change-state')).removeWebhookCommand,
    },
    {
      usage: 'ping <id>',
      about: 'Send it a signed test event',
      run: () => (require('./ping') as typeof import('./ping')).pingWebhookCommand,
    },
  ],
};
