/** What is new and what waits at one of a contact's companies. */
export interface Company {
  clientId: string;
  name: string;
  unread: number;
  /** When the newest unread document was added, in epoch ms. */
  newestAt: number;
  tasks: number;
  /** The earliest due date of its tasks. */
  dueOn: string | null;
}

/** The most urgent first: the earliest due date, then tasks without one, then the newest documents. */
export const byUrgency = (a: Company, b: Company): number =>
  urgencyOf(a).localeCompare(urgencyOf(b)) || b.newestAt - a.newestAt || a.name.localeCompare(b.name);

const urgencyOf = ({ tasks, dueOn }: Company): string => (tasks === 0 ? 'z' : (dueOn ?? 'y'));
