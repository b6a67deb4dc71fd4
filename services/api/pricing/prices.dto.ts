/** Prices by category in major units. */
export interface PricesDto {
  adult: number;
  child?: number;
  single_supplement?: number;
}

/** The tenant's prices by category in major units, and one adult's deposit. */
export interface TenantPricesDto {
  adult: number;
  child?: number;
  single_supplement?: number;
  deposit: number;
}
