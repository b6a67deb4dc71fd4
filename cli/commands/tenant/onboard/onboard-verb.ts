import type { Verb } from '../../../command';
import { checkOnboarding, ONBOARD_FLAGS } from './onboard-flags';

export const onboard: Verb = {
  usage: 'onboard',
  about: 'Set up a tenant whole, all or nothing; on a terminal it asks for what no flag says, unless --yes',
  flags: ONBOARD_FLAGS,
  check: checkOnboarding,
  examples: [
    'tenant onboard',
    'tenant onboard --name "Acme Travel" --country FR --percent 12.5 --origin https://acme.example --yes',
    'tenant onboard --name Acme --continent europe --scope catalog:read --scope booking:create ' +
      '--webhook https://acme.example/webhooks --out acme.secrets --yes',
  ],
  run: () => (require('./onboard') as typeof import('./onboard')).onboardTenantCommand,
};
