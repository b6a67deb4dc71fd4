export interface OctoCapabilityAnswer {
  /** @example "octo/pricing" */
  id: 'octo/pricing' | 'octo/content';
  /**
   * @isInt
   * @example 1
   */
  revision: number;
  /**
   * True if every request must name the capability.
   * @example false
   */
  required: boolean;
  /**
   * The other capabilities that this capability needs.
   * @example []
   */
  dependencies: string[];
  /**
   * Address of the specification.
   * @example "https://docs.octo.travel/capabilities/pricing"
   */
  docs: string | null;
}

/**
 * A capability that a request may name. Those of the list add fields to the answers. Notifications add calls, and are not in the list: the
 * standard's validator refuses a list with an id that its types lack.
 */
export type OctoCapability = OctoCapabilityAnswer['id'] | 'octo/notifications';

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
] satisfies OctoCapabilityAnswer[];

/** Reads the header Octo-Capabilities: names separated by commas, with or without `octo/`. Ignores unknown names. */
export function readCapabilities(header: string | undefined): OctoCapability[] {
  const named = (header ?? '').split(',').map((name) =>
    name
      .trim()
      .toLowerCase()
      .replace(/^octo\//, ''),
  );
  const known: OctoCapability[] = [...OCTO_CAPABILITIES.map(({ id }) => id), 'octo/notifications'];
  return known.filter((id) => named.includes(id.slice('octo/'.length)));
}
