/** What is new and what waits at one of a contact's companies. */
export interface Company {
  clientId: string;
  name: string;
  unread: number;
  /** Messages on tasks that the contact has not read. */
  messages: number;
  /** When the newest unread document or message came, in epoch ms. */
  newestAt: number;
  tasks: number;
  /** The earliest due date of its tasks. */
  dueOn: string | null;
}

/** The most urgent first: the earliest due date, then tasks without one and messages, then the newest documents. */
export const byUrgency = (a: Company, b: Company): number =>
  urgencyOf(a).localeCompare(urgencyOf(b)) || b.newestAt - a.newestAt || a.name.localeCompare(b.name);

const urgencyOf = ({ tasks, messages, dueOn }: Company): string =>
  tasks > 0 ? (dueOn ?? 'y') : messages > 0 ? 'y' : 'z';
