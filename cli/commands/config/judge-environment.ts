import path from 'node:path';
import { loadConfig, type Config } from '../../../services/platform/config';
import type { Io } from '../../io';
import { VARIABLES, type VariableName } from './variables';

export interface Fault {
  variable: string;
  message: string;
}

interface Judged {
  /** As it would be with what is wrong left out. */
  config: Config;
  faults: Fault[];
}

/** Satisfies a variable that is missed, so that the others are judged too. */
const PLACEHOLDER = '-'.repeat(64);

/** All that is wrong with the environment: a service stops at the first. */
export function judgeEnvironment({ env, root }: Io): Judged {
  const left = { ...env, DATA_DIR: env.DATA_DIR || path.join(root, '.data') };
  const faults: Fault[] = [];
  // Each is left out once, and filled in once.
  for (let rounds = 2 * Object.keys(VARIABLES).length + 1; ; rounds--) {
    try {
      return { config: loadConfig(left), faults };
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ConfigError') throw error;
      const [variable] = error.message.split(' ') as [string];
      if (!(variable in VARIABLES) || rounds === 0) throw error;
      const known = faults.some((fault) => fault.variable === variable);
      if (!known) faults.push({ variable, message: error.message });
      leaveOut(left, variable as VariableName);
    }
  }
}

function leaveOut(left: Io['env'], variable: VariableName): void {
  // Left out, it may be missed; the address of the other half is gone with it.
  if (left[variable] || variable === 'CACHE_REST_URL') delete left[variable];
  else left[variable] = PLACEHOLDER;
  if (variable === 'CACHE_REST_URL') delete left.CACHE_REST_TOKEN;
}
