/** @example {"website": "https://tours.example", "email": "resellers@tours.example", "telephone": "+49 30 901820", "address": null} */
export interface OctoSupplierContact {
  website: string | null;
  email: string | null;
  telephone: string | null;
  address: string | null;
}

export interface OctoSupplier {
  /** @example "tour-platform" */
  id: string;
  /** @example "Tour Platform" */
  name: string;
  /**
   * The base address of OCTO.
   * @example "https://api.example.com/octo"
   */
  endpoint: string;
  contact: OctoSupplierContact;
}

export interface OctoCapabilityAnswer {
  /** @example "octo/pricing" */
  id: 'octo/pricing' | 'octo/content';
  /**
   * @isInt
   * @example 1
   */
  revision: number;
  /**
   * True if every request must name it.
   * @example false
   */
  required: boolean;
  /**
   * Capabilities that it needs.
   * @example []
   */
  dependencies: string[];
  /**
   * Its specification.
   * @example "https://docs.octo.travel/capabilities/pricing"
   */
  docs: string | null;
}
