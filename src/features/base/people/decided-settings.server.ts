import { z } from 'zod';
import { db } from '#platform/database/database.server.ts';

/* The audit log says of each access setting what was decided last. */

const decisions = z.object({
  kind: z.string(),
  name: z.string(),
  to: z.enum(['granted', 'refused', 'usual']),
});

/** What was decided last about an access setting; `usual` if it has none since. */
interface DecidedSetting {
  companyId: string;
  /** Empty for everybody in the firm. */
  contactId: string;
  kind: string;
  name: string;
  to: 'granted' | 'refused' | 'usual';
}

/** What the audit logs say was decided last about each access setting, by {@link settingKey}. */
export async function decidedSettings(): Promise<Map<string, DecidedSetting>> {
  const decided = new Map<string, DecidedSetting>();
  const entries = await db()
    .selectFrom('audit')
    .select(['company_id', 'action', 'target', 'details'])
    .where('action', 'in', ['access.change', 'person.remove'])
    .orderBy('company_id')
    .orderBy('seq')
    .execute();
  for (const { company_id: companyId, action, target, details } of entries) {
    const contactId = target === companyId ? '' : target;
    if (action === 'person.remove') {
      for (const one of decided.values()) if (one.contactId === contactId) one.to = 'usual';
      continue;
    }
    const { kind, name, to } = decisions.parse(JSON.parse(details));
    const setting = { companyId, contactId, kind, name, to };
    decided.set(settingKey(setting), setting);
  }
  return decided;
}

export const settingKey = ({ companyId, contactId, kind, name }: Omit<DecidedSetting, 'to'>): string =>
  [companyId, contactId, kind, name].join(' ');
