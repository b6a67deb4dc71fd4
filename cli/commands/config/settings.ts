import path from 'node:path';
import { loadConfig, missingSecrets, type Config } from '../../../services/platform/config';
import type { Io } from '../../terminal/io';
import { type Variable, type VariableName, VARIABLES } from './variables';

export interface Setting {
  variable: VariableName;
  /** Null for a secret, and if there is no value. */
  value: string | null;
  source: 'environment' | 'default' | 'generated' | 'unset';
  secret: boolean;
  about: string;
  must_be: string;
  /** Null if the value is valid. */
  fault: string | null;
}

/** Returns all settings in the order of VARIABLES. */
export function readSettings(io: Io): Setting[] {
  const { config, faults } = judgeEnvironment(io);
  return (Object.entries(VARIABLES) as [VariableName, Variable][]).map(([variable, form]) => {
    const fault = faultOf(variable, faults);
    const value = form.value(config);
    const isSet = Boolean(io.env[variable]);
    return {
      variable,
      // A wrong value may be a secret in the wrong variable.
      value: fault || form.secret ? null : (value ?? null),
      source: isSet ? 'environment' : sourceOf(form, value, config.databaseUrl === undefined),
      secret: form.secret ?? false,
      about: form.about,
      must_be: form.mustBe,
      fault: fault ?? null,
    };
  });
}

export function readSetting(io: Io, variable: VariableName): Setting {
  return readSettings(io).find((setting) => setting.variable === variable)!;
}

function sourceOf({ generated, secret }: Variable, value: string | undefined, isEmbedded: boolean) {
  if (generated) return isEmbedded ? 'generated' : 'unset';
  return value === undefined || secret ? 'unset' : 'default';
}

function faultOf(variable: string, faults: Fault[]): string | undefined {
  return faults.find((fault) => fault.variable === variable)?.message;
}

/** Returns the value for the screen. */
export function shownValue({ value, source, secret, fault }: Setting): string | null {
  if (fault) return '(wrong)';
  return secret && source !== 'unset' ? '(secret)' : value;
}

export interface Fault {
  variable: string;
  message: string;
}

interface Judged {
  /** The configuration without the wrong variables. */
  config: Config;
  faults: Fault[];
}

/** Replaces a missing variable, so that the others are checked too. */
const PLACEHOLDER = '-'.repeat(64);

/** Returns all issues of the environment; a service stops at the first. */
export function judgeEnvironment({ env, root }: Io): Judged {
  const left = { ...env, DATA_DIR: env.DATA_DIR || path.join(root, '.data') };
  const faults: Fault[] = [];
  // Each variable is removed once and filled in once.
  for (let rounds = 2 * Object.keys(VARIABLES).length + 1; ; rounds--) {
    try {
      const config = loadConfig(left);
      return { config, faults: [...faults, ...missingOf(config, faults)] };
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

/** Returns missing secrets: a service needs a secret only where it uses it. Wrong ones are listed already. */
function missingOf(config: Config, faults: Fault[]): Fault[] {
  return missingSecrets(config)
    .map(({ message }) => ({ variable: message.split(' ')[0]!, message }))
    .filter(({ variable }) => !faults.some((fault) => fault.variable === variable));
}

function leaveOut(left: Io['env'], variable: VariableName): void {
  // Left out, it may be missed; the address of the other half is gone with it.
  if (left[variable] || variable === 'CACHE_REST_URL') delete left[variable];
  else left[variable] = PLACEHOLDER;
  if (variable === 'CACHE_REST_URL') delete left.CACHE_REST_TOKEN;
}
