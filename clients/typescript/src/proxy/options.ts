/** Returns the number of an option. @param standard the value of an option that is left out @throws TypeError */
export function withinRange(value: number | undefined, name: string, standard: number, max: number): number {
  if (value === undefined) return standard;
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new TypeError(`tourProxy: ${name} must be a whole number from 1 to ${max}.`);
}
