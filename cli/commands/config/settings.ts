import type { Io } from '../../io';
import { judgeEnvironment, type Fault } from './judge-environment';
import { VARIABLES, type Variable, type VariableName } from './variables';

export interface Setting {
  variable: VariableName;
  /** Null for a secret, and where nothing holds. */
  value: string | null;
  source: 'environment' | 'default' | 'generated' | 'unset';
  secret: boolean;
  about: string;
  must_be: string;
  /** Null where it is as it must be. */
  fault: string | null;
}

/** The whole of them, in the order of VARIABLES. */
export function readSettings(io: Io): Setting[] {
  const { config, faults } = judgeEnvironment(io);
  return (Object.entries(VARIABLES) as [VariableName, Variable][]).map(([variable, form]) => {
    const fault = faultOf(variable, faults);
    const value = form.value(config);
    const isSet = Boolean(io.env[variable]);
    return {
      variable,
      // A wrong value may be a secret in the wrong place.
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

/** The value as a person sees it. */
export function shownValue({ value, source, secret, fault }: Setting): string | null {
  if (fault) return '(wrong)';
  return secret && source !== 'unset' ? '(secret)' : value;
}
