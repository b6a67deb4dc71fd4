/** Returns a value as a query or a header has it. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Encodes a value for an address. Text that is not Unicode gets bytes that are not UTF-8. */
export function encoded(value: unknown): string {
  const text = asText(value);
  try {
    return encodeURIComponent(text);
  } catch {
    return `${encodeURIComponent(text.replace(/[\ud800-\udfff]/g, ''))}%ED%A0%80`;
  }
}
