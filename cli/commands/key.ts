import { SCOPES } from '../../services/api/credentials/credential';
import { flag, type Noun } from '../engine/command';
import { EXPIRES_FLAG, LIST_FORM, OUT_FLAG, REVOKE_FORM, ROTATE_FORM } from '../engine/credential-flags';
import { domain, line } from '../engine/values';

const actions = () => require('./key/actions') as typeof import('./key/actions');

export const key: Noun = {
  name: 'key',
  about: "Issue, list, rotate and revoke the API keys of a tenant's servers",
  verbs: [
    {
      usage: 'issue <slug>',
      about: 'Issue a key; its secret is printed only once',
      flags: [
        flag('--scope <scope>', 'what the key may do; give as few as possible; asked for on a terminal', {
          choices: SCOPES,
          repeats: true,
        }),
        flag('--name <name>', 'what the key is for', { parse: line(200) }),
        flag('--website <domain>', 'domain of the site that the key is issued for', { parse: domain }),
        EXPIRES_FLAG,
        OUT_FLAG,
      ],
      examples: [
        'key issue acme --scope catalog:read --scope booking:create --website acme.example --expires-in 90d',
        'key issue acme --scope catalog:read --out acme.key',
      ],
      // Opens the database itself: without a scope it asks first, or refuses.
      runOffline: () => actions().issueKeyCommand,
    },
    {
      ...LIST_FORM,
      usage: 'list [slug]',
      about:
        'List the keys of a tenant, or of all tenants, newest first; warns of keys seen in a browser, never used or soon to expire',
      examples: ['key list acme', 'key list --status live --json'],
      run: () => actions().listKeysCommand,
    },
    {
      ...ROTATE_FORM,
      about: 'Issue a successor with the same rights and quota',
      examples: ['key rotate 4nL0pQ8sTzX2 --grace 48h'],
      run: () => actions().rotateKeyCommand,
    },
    {
      ...REVOKE_FORM,
      about: 'Refuse a key from now on',
      examples: ['key revoke 4nL0pQ8sTzX2', 'key revoke 4nL0pQ8sTzX2 --yes'],
      run: () => actions().revokeKeyCommand,
    },
    {
      usage: 'inspect',
      about: 'Check a key or widget token that is read from standard input, or pasted',
      flags: [flag('--offline', 'check only its form and checksum, without a database')],
      examples: ['key inspect < suspicious.key', 'key inspect --offline < suspicious.key'],
      // Opens the database itself, and only for a well-formed token.
      runOffline: () => (require('./key/inspect') as typeof import('./key/inspect')).inspectTokenCommand,
    },
  ],
};
