import type { RowNote } from './widgets.server.ts';

/** What waits or is new at a company in one part of the portal. */
export interface CompanyFact {
  clientId: string;
  /** The page where it is. */
  page: string;
  note: RowNote;
  /** The earliest due date (ISO 8601) of what waits. */
  dueOn?: string | null;
  /** Whether it waits for the contact; else it is only new. */
  isWaiting: boolean;
  /** When the newest of it came, in epoch ms; 0 for what only waits. */
  newestAt: number;
}

/** One of a contact's companies, and what waits or is new there. */
export interface Company {
  clientId: string;
  name: string;
  facts: readonly CompanyFact[];
}

/** The most urgent first: the earliest due date, then what waits without one, then what came last. */
export const byUrgency = (a: Company, b: Company): number =>
  urgencyOf(a).localeCompare(urgencyOf(b)) || newestOf(b) - newestOf(a) || a.name.localeCompare(b.name);

/** A date, or a letter that sorts behind all dates. */
const urgencyOf = ({ facts }: Company): string =>
  facts
    .map(({ dueOn, isWaiting }) => dueOn ?? (isWaiting ? 'y' : 'z'))
    .toSorted()
    .at(0) ?? 'z';

const newestOf = ({ facts }: Company): number => Math.max(0, ...facts.map(({ newestAt }) => newestAt));
