import type { TaxIdKind } from '#platform/inputs/tax-ids.ts';
import { blindIndex } from '#platform/settings.server.ts';

/** The blind index of a tax id, of which `number` is without punctuation. */
export const taxIdKey = (kind: TaxIdKind, number: string): Promise<string> =>
  blindIndex(`tax-id:${kind}:${number}`);
