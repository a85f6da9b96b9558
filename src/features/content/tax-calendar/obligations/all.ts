import type { Country } from '../profile.ts';
import type { TaxRule } from '../rules.ts';
import { AR } from './ar.ts';
import { AU } from './au.ts';
import { BR } from './br.ts';
import { CA } from './ca.ts';
import { GB } from './gb.ts';
import { US } from './us.ts';

/** Raised when rules change, so that the dates of all clients are computed again. */
export const RULES_VERSION = 1;

export const RULES: Readonly<Record<Country, readonly TaxRule[]>> = {
  us: US,
  gb: GB,
  ca: CA,
  au: AU,
  ar: AR,
  br: BR,
};

const byKey = new Map(
  Object.values(RULES)
    .flat()
    .map((rule) => [rule.key, rule]),
);

export const ruleOf = (key: string): TaxRule | undefined => byKey.get(key);
