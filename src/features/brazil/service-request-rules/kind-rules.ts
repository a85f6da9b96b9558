import { calendarOf, type WorkCalendar, type Workplace } from '#features/base/work-calendars/calendar.ts';
import type { Day } from '#features/base/work-calendars/days.ts';
import type { Finding } from '#features/brazil/labor-rules/findings.ts';
import type { RecordedPeriod } from '#features/brazil/labor-rules/vacation.ts';
import type { Key as EstimateKey } from '#features/brazil/payroll-simulations/finding-texts.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { Keys, T } from '#platform/text/messages.ts';
import type messages from '../../../../locales/en-us/service-requests.json';
import type { Given } from './given.ts';

/* What the rules of a kind of requests are, for the server and the browser. */

export type Key = Keys<typeof messages>;

/** What is known besides the answers. What is not known is no finding. */
export interface KnownFacts {
  today: Day;
  /** The workplace of the employee, or that of the request. */
  workplace: Workplace;
  employee?: KnownEmployee;
  /** Whether somebody with the CPF of the request works for the client. */
  isActiveHere?: boolean;
  /** How many people work for the client. */
  headcount?: number;
}

/** What rules take of an employee; empty if it is not known. */
export interface KnownEmployee {
  /** Whether there is an employment contract: partners and interns have no vacation by the CLT. */
  isEmployed: boolean;
  hiredOn: Day;
  bornOn: string;
  salaryCents: number | null;
  salaryUnit: string;
  contractEndsOn: string;
  trialEndsOn: string;
  leaves: readonly { startsOn: Day; endsOn: string; reason: string }[];
  vacationPeriods: readonly RecordedPeriod[];
}

/** What a plan is checked with. */
interface PlanFacts extends Omit<KnownFacts, 'workplace'> {
  calendar: WorkCalendar;
}

export const planFacts = ({ workplace, ...facts }: KnownFacts): PlanFacts => ({
  ...facts,
  calendar: calendarOf(workplace),
});

/** Which facts the rules need, by the questions that decide about them. */
interface Needs {
  /** Who the request is about. */
  employee?: string;
  /** The question about the workplace; without one it is that of the employee. */
  place?: string;
  /** The question about the CPF of somebody who may work here already. */
  cpf?: string;
  headcount?: true;
}

/** The words of findings: those of requests, and those that estimates have, too. */
export interface Words {
  lang: Lang;
  own: T<Key>;
  estimates: T<EstimateKey>;
}

export interface KindRules {
  needs: Needs;
  /** The rules that may ask for a reason. A firm can make them warn instead. */
  asking: readonly string[];
  /**
   * What the rules say about the answers, at the questions that it is about. A plan that is not complete is not checked: what
   * is missing is said by the questions themselves.
   */
  check: (given: Given, facts: PlanFacts) => Finding[];
  /** What a finding says. */
  text: (finding: Finding, words: Words) => string;
  /** The translations that the texts need. */
  keys: { own: readonly Key[]; estimates: readonly EstimateKey[] };
}

/** Only what is there. */
export const some = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<Name, Value>>;

/** The findings with the questions that they are about. */
export const placed = (
  findings: readonly Finding[],
  pathOf: (path: string) => string | undefined,
): Finding[] =>
  findings.map(({ path, ...finding }) => {
    const at = path === undefined ? undefined : pathOf(path);
    return at === undefined ? finding : { ...finding, path: at };
  });

/** A day after all others. */
export const LAST = '9999-12-31';

/** When an employee is away already. */
export const busyOf = (employee: KnownEmployee | undefined): { start: Day; end: Day }[] =>
  (employee?.leaves ?? []).map(({ startsOn, endsOn }) => ({ start: startsOn, end: endsOn || LAST }));
