import { readFiscalXml } from '#features/documents/fiscal-xml/read.server.ts';
import { taxIdsIn } from './internal/plans.server.ts';
import { recordsIn } from './internal/records.server.ts';
import { accessKeyOf } from './internal/rows.server.ts';
import { computeTaxIdKeys } from './owners.server.ts';

/** What a file names: tax ids by the keys under which clients have them, and the access keys that its events are about. */
export async function namesIn(bytes: Buffer): Promise<{ taxIdKeys: string[]; accessKeys: string[] }> {
  const file = readFiscalXml(bytes);
  if (file.kind !== 'fiscal') return { taxIdKeys: [], accessKeys: [] };
  const records = recordsIn(file.entries);
  const keys = await Promise.all([...new Set(taxIdsIn(records))].map(computeTaxIdKeys));
  return {
    taxIdKeys: [...new Set(keys.flat())],
    accessKeys: records.events.map(accessKeyOf).filter((key) => key !== ''),
  };
}
