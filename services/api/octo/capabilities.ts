export interface OctoCapabilityAnswer {
  /** @example "octo/pricing" */
  id: 'octo/pricing' | 'octo/content' | 'octo/pickups';
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
  // The vendors' form. The standard's own, `pickups`, has other fields.
  {
    id: 'octo/pickups',
    revision: 1,
    required: false,
    dependencies: [],
    docs: null,
  },
] satisfies OctoCapabilityAnswer[];

/**
 * Reads the header Octo-Capabilities: names separated by commas, with or without `octo/`, but `octo/pickups` with it only, because `pickups`
 * names another capability. Ignores unknown names.
 */
export function readCapabilities(header: string | undefined): OctoCapability[] {
  const named = (header ?? '').split(',').map((name) => name.trim().toLowerCase());
  const known: OctoCapability[] = [...OCTO_CAPABILITIES.map(({ id }) => id), 'octo/notifications'];
  const isNamed = (id: OctoCapability) =>
    named.includes(id) || (id !== 'octo/pickups' && named.includes(id.slice('octo/'.length)));
  return known.filter(isNamed);
}
