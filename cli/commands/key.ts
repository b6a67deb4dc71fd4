import { SCOPES } from '../../services/api/credentials/credential';
import { flag, type Noun } from '../engine/command';
import {
  CREDENTIAL_STATUS_FLAG,
  endsAtOnce,
  EXPIRES_FLAG,
  GRACE_FLAG,
  ID_ARGUMENT,
  OUT_FLAG,
  ROTATED_EXPIRES_FLAG,
} from '../engine/credential-flags';
import { afterFlag, LIMIT_FLAG } from '../engine/flags';
import { credentialId, line } from '../engine/values';

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
        flag('--website <domain>', 'the site that the key is issued for', { parse: line(253) }),
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
      usage: 'list <slug>',
      about:
        'List the keys of a tenant, newest first; warns of keys seen in a browser, never used or soon to expire',
      flags: [CREDENTIAL_STATUS_FLAG, LIMIT_FLAG, afterFlag('id', credentialId)],
      examples: ['key list acme', 'key list acme --status live --json'],
      run: () => actions().listKeysCommand,
    },
    {
      usage: 'rotate <id>',
      asks: endsAtOnce,
      about: 'Issue a successor with the same rights and quota',
      flags: [GRACE_FLAG, ROTATED_EXPIRES_FLAG, OUT_FLAG],
      args: ID_ARGUMENT,
      examples: ['key rotate 4nL0pQ8sTzX2 --grace 48h'],
      run: () => actions().rotateKeyCommand,
    },
    {
      usage: 'revoke <id>',
      asks: () => true,
      about: 'Refuse a key from now on',
      args: ID_ARGUMENT,
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
