import type { Basics } from '../../context';
import { SettingsError } from '../../refusals';
import { readSetting } from './settings';
import type { VariableName } from './variables';

/** @throws SettingsError for a secret, a wrong value, and where there is none */
export async function getConfigCommand(
  { io, output }: Basics,
  _: object,
  variable: VariableName,
): Promise<void> {
  const setting = readSetting(io, variable);
  const { value, fault, secret, source } = setting;
  if (fault) throw new SettingsError(fault);
  if (output.json) return output.answer(setting, () => '');
  if (secret && source !== 'unset')
    throw new SettingsError(`${variable} is a secret and never shown (from: ${source})`);
  if (value === null) throw new SettingsError(`${variable} is not set, and has no default`);
  output.answer(setting, () => value);
}
