import type { Country } from '../profile.ts';
import type { TaxRule } from '../rules.ts';

type Shared = 'authority' | 'law' | 'source' | 'roll' | 'confirmed';

/** The rules of a country; each may have what most of them share otherwise. */
export const rulesOf = (
  country: Country,
  shared: Pick<TaxRule, Shared>,
  rules: readonly (Omit<TaxRule, 'country' | Shared> & Partial<Pick<TaxRule, Shared>>)[],
): readonly TaxRule[] => rules.map((rule) => ({ ...shared, ...rule, country }));
