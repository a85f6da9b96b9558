import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { clientNamesOf } from './internal/store.server.ts';
import type { Sender } from './sharing.ts';

/**
 * Returns whom recipients see as the sender: the firm if its staff shared the documents, else the client whose
 * documents they are, or the person if they are of several clients.
 */
export async function senderCompany(
  sender: Pick<Actor, 'staff' | 'fullName'>,
  firm: Pick<Firm, 'name'>,
  shareId: string,
): Promise<string> {
  if (sender.staff) return firm.name;
  const [name, ...others] = await clientNamesOf(shareId);
  return name === undefined || others.length > 0 ? sender.fullName : name;
}

/** The person and the firm behind the company, each unless it is the company itself. */
export const senderParts = (
  { company, name, firmName }: Pick<Sender, 'company' | 'name' | 'firmName'>,
  t: (key: 'recipientVia', vars: { firm: string }) => string,
): string[] => [
  ...(name === company ? [] : [name]),
  ...(firmName === company ? [] : [t('recipientVia', { firm: firmName })]),
];
