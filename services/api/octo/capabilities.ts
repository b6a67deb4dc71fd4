/** The capabilities that change answers. */
export type OctoCapability = 'octo/pricing' | 'octo/content';

/** The capabilities as GET /octo/capabilities lists them. */
export const OCTO_CAPABILITIES = [
  {
    id: 'octo/pricing',
    revision: 1,
    required: false,
    dependencies: [],
    docs: 'https://docs.octo.travel/capabilities/pricing',
  },
  {
    id: 'octo/content',
    revision: 1,
    required: false,
    dependencies: [],
    docs: 'https://docs.octo.travel/capabilities/content',
  },
] satisfies { id: OctoCapability; [field: string]: unknown }[];

/**
 * Reads Octo-Capabilities: names with commas between them, with or without `octo/`. Ignores unknown ones.
 * @param header undefined: none
 */
export function readCapabilities(header: string | undefined): OctoCapability[] {
  const named = (header ?? '').split(',').map((name) =>
    name
      .trim()
      .toLowerCase()
      .replace(/^octo\//, ''),
  );
  return OCTO_CAPABILITIES.map(({ id }) => id).filter((id) => named.includes(id.slice('octo/'.length)));
}
