import type { InboxItem } from './inbox.ts';

/** The rows of one client that follow each other, or those of the firm itself. */
export interface InboxGroup {
  clientId: string | undefined;
  clientName: string | undefined;
  items: InboxItem[];
  /** Whether all of its rows are on this page. */
  isWhole: boolean;
}

/** Groups rows by client, in their order. `more`: whether the list goes on before and after them. */
export function groupsOf(
  items: readonly InboxItem[],
  more: { before: boolean; after: boolean },
): InboxGroup[] {
  const groups: InboxGroup[] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last && last.clientId === item.clientId) last.items.push(item);
    else {
      const { clientId, clientName } = item;
      groups.push({ clientId, clientName, items: [item], isWhole: true });
    }
  }
  const [first, last] = [groups[0], groups.at(-1)];
  if (first && more.before) first.isWhole = false;
  if (last && more.after) last.isWhole = false;
  return groups;
}
