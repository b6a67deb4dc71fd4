import type { Basics } from '../../context';
import { properties } from '../../table';
import { readSetting, shownValue } from './settings';
import type { VariableName } from './variables';

export async function showConfigCommand(
  { io, output }: Basics,
  _: object,
  variable: VariableName,
): Promise<void> {
  const setting = readSetting(io, variable);
  output.answer(setting, (screen) => properties({ ...setting, value: shownValue(setting) }, screen));
}
