import { config } from '#platform/runtime/config.server.ts';
import { sefaz } from './sefaz.server.ts';
import type { TaxAuthority } from './tax-authority.server.ts';

/** The authority of this installation; undefined if people tell it by hand. */
export const taxAuthority = (): TaxAuthority | undefined => config.taxAuthority && sefaz(config.taxAuthority);
