/** As holds and leads keep it (explain-price.ts). */
interface PriceBreakdown {
  platform_unit_price?: number;
  rule?: { id: number; applies_to: string; kind: string; value: number } | null;
}

/** How the price of one came about, as it was when it was locked: 450, made 500 by rule 7 (tour, percent 10). */
export function describePrice(breakdown: PriceBreakdown, unitPrice: number, currency: string): string {
  const { platform_unit_price: platform, rule } = breakdown;
  const price = `${unitPrice} ${currency}`;
  if (!rule) return `${price}, the platform's own price`;
  return `${price}, made of the platform's ${platform} by rule ${rule.id} (${rule.applies_to}, ${rule.kind} ${rule.value})`;
}
