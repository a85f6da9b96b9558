/*
 * What a rule of labor law says about a plan, for the server and the browser. Texts are keys elsewhere: a finding has
 * the rule, the values of its text and the law.
 */

/** Blocks, needs a reason, warns, or informs. */
export type Severity = 'blocks' | 'confirm' | 'warns' | 'informs';

/** Days are `2026-11-28`; names that end in `Cents` are amounts. */
type FindingVars = Readonly<Record<string, string | number>>;

export interface Finding<Rule extends string = string> {
  rule: Rule;
  severity: Severity;
  /** The field that it is about. */
  path?: string;
  vars: FindingVars;
  law: string;
}

const ORDER: readonly Severity[] = ['blocks', 'confirm', 'warns', 'informs'];

/** The findings, the gravest first. */
export const bySeverity = <One extends { severity: Severity }>(findings: readonly One[]): One[] =>
  findings.toSorted((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity));
