export interface OctoCapabilityAnswer {
  /** @example "octo/pricing" */
  id: 'octo/pricing' | 'octo/content' | 'octo/notifications';
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

/** The id of a capability. Each capability adds fields to the answers. */
export type OctoCapability = OctoCapabilityAnswer['id'];

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
  {
    id: 'octo/notifications',
    revision: 1,
    required: false,
    dependencies: [],
    docs: 'https://docs.octo.travel/capabilities-optional/notifications',
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
  return OCTO_CAPABILITIES.map(({ id }) => id).filter((id) => named.includes(id.slice('octo/'.length)));
}
