import { SCOPES } from '../../services/api/credentials/credential';
import type { Noun } from '../engine/command';
import {
  CREDENTIAL_STATUS_FLAG,
  endsAtOnce,
  EXPIRES_FLAG,
  GRACE_FLAG,
  ID_ARGUMENT,
  LIMIT_FLAG,
  OUT_FLAG,
  ROTATED_EXPIRES_FLAG,
} from '../engine/credential-flags';
import { afterFlag } from '../engine/list-page';
import { credentialId, line } from '../engine/values';

export const key: Noun = {
  name: 'key',
  about: "API keys of a tenant's servers",
  verbs: [
    {
      usage: 'issue <slug>',
      about: 'Issue a key; its secret is printed this once',
      flags: [
        {
          flags: '--scope <scope>',
          about: 'what it may do; as few as serve, asked for on a terminal',
          choices: SCOPES,
          repeats: true,
        },
        { flags: '--name <name>', about: 'what it is for', parse: line(200) },
        { flags: '--website <domain>', about: 'the site that it is issued for', parse: line(253) },
        EXPIRES_FLAG,
        OUT_FLAG,
      ],
      examples: [
        'key issue acme --scope catalog:read --scope booking:create --website acme.example --expires-in 90d',
        'key issue acme --scope catalog:read --out acme.key',
      ],
      // It opens the database itself: without a scope it asks first, or refuses.
      runOffline: () => (require('./key/actions') as typeof import('./key/actions')).issueKeyCommand,
    },
    {
      usage: 'list <slug>',
      about:
        'List its keys, newest first, with a warning for those seen in a browser, never used or soon to expire',
      flags: [CREDENTIAL_STATUS_FLAG, LIMIT_FLAG, afterFlag('id', credentialId)],
      examples: ['key list acme', 'key list acme --status live --json'],
      run: () => (require('./key/actions') as typeof import('./key/actions')).listKeysCommand,
    },
    {
      usage: 'rotate <id>',
      asks: endsAtOnce,
      about: 'Issue a successor with the same rights and quota',
      flags: [GRACE_FLAG, ROTATED_EXPIRES_FLAG, OUT_FLAG],
      args: ID_ARGUMENT,
      examples: ['key rotate 4nL0pQ8sTzX2 --grace 48h'],
      run: () => (require('./key/actions') as typeof import('./key/actions')).rotateKeyCommand,
    },
    {
      usage: 'revoke <id>',
      asks: () => true,
      about: 'Refuse it from now on',
      args: ID_ARGUMENT,
      examples: ['key revoke 4nL0pQ8sTzX2', 'key revoke 4nL0pQ8sTzX2 --yes'],
      run: () => (require('./key/actions') as typeof import('./key/actions')).revokeKeyCommand,
    },
    {
      usage: 'inspect',
      about: 'Judge a key or widget token that is read from standard input, or pasted',
      flags: [{ flags: '--offline', about: 'by its form and checksum alone, without a database' }],
      examples: ['key inspect < suspicious.key', 'key inspect --offline < suspicious.key'],
      // It opens the database itself, once it knows that there is something to look up.
      runOffline: () => (require('./key/inspect') as typeof import('./key/inspect')).inspectTokenCommand,
    },
  ],
};
