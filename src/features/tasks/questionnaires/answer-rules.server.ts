import { contributed } from '#platform/runtime/feature.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { Answers, PlainValue, Question, Template } from './questionnaires.ts';
import { isGroup, visibleSections, type VisibleQuestion } from './rules.ts';

/*
 * Rules across answers, such as how a vacation may be divided. A template names a rule and which questions it is about;
 * features contribute the rules, which are code, so that nothing in a template is run.
 */

/** Prevents the submission, asks for a reason, warns, or informs. */
type Severity = 'blocks' | 'confirms' | 'warns' | 'informs';

/** What a rule says about the answers. */
interface RuleFinding {
  /** Identifies it among those of the rule, such as `V5`. */
  id: string;
  severity: Severity;
  text: string;
  /** The article of the law. */
  law?: string;
  /** The input that it is about, and the row, counted from 0. */
  input?: string;
  row?: number;
}

/** What a rule is told of one question, by kinds that it understands. */
interface RuleInput {
  kinds: readonly Question['kind'][];
  /** The rule can do without it. */
  isOptional?: true;
}

/** The values of inputs: undefined for an optional one without an answer. */
type RuleValues = Readonly<Record<string, PlainValue | undefined>>;

interface RuleContext {
  lang: Lang;
  /** The day of the firm. */
  today: string;
}

interface AnswerRule {
  /** By their names. `parts.start` is about a question in the rows of a group, once for each row. */
  inputs: Readonly<Record<string, RuleInput>>;
  /** Runs only when all that is not optional is answered; `rows` are by the name before the point. */
  check: (
    values: RuleValues,
    rows: Readonly<Record<string, readonly RuleValues[]>>,
    context: RuleContext,
  ) => readonly RuleFinding[];
}

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** Rules across answers, by the name that templates use. */
    answerRules: Readonly<Record<string, AnswerRule>>;
  }
}

/** A finding about the answers to a template. */
export interface Finding extends Pick<RuleFinding, 'id' | 'severity' | 'text' | 'law'> {
  rule: string;
  /** The question, the group, or the first question that the rule is about. */
  path: string;
}

type Check = NonNullable<Template['checks']>[number];

const rules = (): ReadonlyMap<string, AnswerRule> =>
  new Map(contributed('answerRules').flatMap((each) => Object.entries(each)));

const ORDER: readonly Severity[] = ['blocks', 'confirms', 'warns', 'informs'];

/** What the rules of a template say about answers, the gravest first. Unanswered questions are no finding. */
export function findingsOf(template: Template, answers: Answers, context: RuleContext): Finding[] {
  const { checks = [] } = template;
  if (checks.length === 0) return [];
  const known = rules();
  const sections = visibleSections(template, answers);
  return checks
    .flatMap((check) => {
      const rule = known.get(check.rule);
      return rule ? findings(rule, check, { sections, context }) : [];
    })
    .toSorted((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity));
}

interface Answered {
  sections: ReturnType<typeof visibleSections>;
  context: RuleContext;
}

function findings(rule: AnswerRule, check: Check, { sections, context }: Answered): Finding[] {
  const items = sections.flatMap((section) => section.items);
  const single = new Map(items.flatMap((item) => (isGroup(item) ? [] : [[item.path, item] as const])));
  const names = Object.keys(rule.inputs);
  const values = valuesOf(
    rule,
    names.filter((name) => !name.includes('.')),
    (name) => single.get(check.of[name] ?? ''),
  );
  if (!values) return [];
  const rows: Record<string, RuleValues[]> = {};
  const rowPaths: Record<string, string[]> = {};
  for (const prefix of new Set(names.filter((name) => name.includes('.')).map((name) => prefixOf(name)))) {
    const own = names.filter((name) => prefixOf(name) === prefix && name.includes('.'));
    const group = items.filter(isGroup).find(({ path }) => path === groupOf(check, own));
    for (const { id, questions } of group?.rows ?? []) {
      const read = valuesOf(rule, own, (name) =>
        questions.find(({ question }) => `${group?.path}.${question.key}` === check.of[name]),
      );
      if (!read) return []; // a row that is begun and not finished
      const ofRow = Object.entries(read).map(
        ([name, value]) => [name.slice(prefix.length + 1), value] as const,
      );
      (rows[prefix] ??= []).push(Object.fromEntries(ofRow));
      (rowPaths[prefix] ??= []).push(`${group?.path}.${id}`);
    }
    if (!rows[prefix] && own.some((name) => !rule.inputs[name]?.isOptional)) return [];
  }
  const pathOf = ({ input, row }: RuleFinding): string => {
    const [prefix = '', name] = input?.split('.') ?? [];
    const rowPath = row === undefined ? undefined : rowPaths[prefix]?.[row];
    if (rowPath !== undefined && name !== undefined)
      return `${rowPath}.${check.of[input ?? '']?.split('.').at(-1) ?? ''}`;
    return (
      check.of[prefix] ??
      groupOf(
        check,
        names.filter((each) => prefixOf(each) === prefix),
      ) ??
      firstOf(check)
    );
  };
  return rule.check(values, rows, context).map((finding) => ({
    rule: check.rule,
    id: finding.id,
    severity: finding.severity,
    text: finding.text,
    ...(finding.law !== undefined && { law: finding.law }),
    path: pathOf(finding),
  }));
}

const prefixOf = (name: string): string => name.split('.')[0] ?? '';

/** The group whose questions these inputs are bound to. */
const groupOf = ({ of }: Check, names: readonly string[]): string | undefined =>
  names.flatMap((name) => of[name] ?? []).map((path) => path.split('.').slice(0, 2).join('.'))[0];

const firstOf = ({ of }: Check): string => Object.values(of)[0] ?? '';

/** The values of inputs; undefined if one that is not optional has no valid answer. */
function valuesOf(
  { inputs }: AnswerRule,
  names: readonly string[],
  questionOf: (name: string) => VisibleQuestion | undefined,
): RuleValues | undefined {
  const values = names.map((name) => {
    const reading = questionOf(name)?.reading;
    return [name, reading?.state === 'value' ? reading.value : undefined] as const;
  });
  const isComplete = values.every(([name, value]) => value !== undefined || inputs[name]?.isOptional);
  return isComplete ? Object.fromEntries(values) : undefined;
}

interface RuleProblem {
  /** The place of the rule among those of the template. */
  at: number;
  code: 'templateRule' | 'templateRuleInput';
  input?: string;
}

/** What is wrong with a rule that a template names: nobody contributes it, or an input has no question that fits. */
export function checkProblems(template: Template): RuleProblem[] {
  const known = rules();
  return (template.checks ?? []).flatMap(({ rule: name, of }, at): RuleProblem[] => {
    const rule = known.get(name);
    if (!rule) return [{ at, code: 'templateRule' }];
    const inputs = new Set([...Object.keys(rule.inputs), ...Object.keys(of)]);
    return [...inputs]
      .filter((input) => !isBound(template, rule.inputs[input], of[input], input.includes('.')))
      .map((input) => ({ at, code: 'templateRuleInput', input }));
  });
}

function isBound(
  template: Template,
  input: RuleInput | undefined,
  path: string | undefined,
  isInRows: boolean,
): boolean {
  if (!input) return false;
  if (path === undefined) return input.isOptional === true;
  const [sectionKey, itemKey, key, ...rest] = path.split('.');
  const item = template.sections
    .find((section) => section.key === sectionKey)
    ?.items.find((each) => each.key === itemKey);
  if (!item || rest.length > 0) return false;
  const question =
    item.kind === 'group'
      ? item.items.find((each) => each.key === key)
      : key === undefined
        ? item
        : undefined;
  return (
    (item.kind === 'group') === isInRows && question !== undefined && input.kinds.includes(question.kind)
  );
}
