import { assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { fold, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { assertKeeps } from './access.server.ts';
import { addEmployee, changeEmployee } from './changes.server.ts';
import {
  employeeChange,
  employeeInput,
  problemList,
  type BulkItem,
  type EmployeeProblem,
} from './employees.ts';
import { employeesOf } from './internal/store.server.ts';

/** How many are stored in a transaction, so that other requests need not wait for all. */
const AT_ONCE = 50;

type Item = Readonly<Record<string, unknown>> & { registration: string };

/**
 * Stores the employees of a client as a payroll program has them, each recognized by its registration: the same again
 * changes nothing, and what is refused keeps none of the others. Nobody is removed. FORBIDDEN, NOT_FOUND.
 */
export async function storeEmployees(
  actor: Actor,
  clientId: string,
  items: readonly Item[],
): Promise<BulkItem[]> {
  assertKeeps(actor);
  await assertActsFor(actor, clientId);
  const answers: BulkItem[] = [];
  const done = new Set<string>();
  for (let start = 0; start < items.length; start += AT_ONCE) {
    const some = items.slice(start, start + AT_ONCE);
    const stored = await inTransaction(async () => {
      const known = await byRegistration(actor, clientId, some);
      const results: BulkItem[] = [];
      for (const item of some) {
        results.push(await storeOne(actor, clientId, { item, known, isRepeated: done.has(keyOf(item)) }));
        done.add(keyOf(item));
      }
      return results;
    });
    answers.push(...stored);
  }
  return answers;
}

const keyOf = ({ registration }: Item): string => fold(registration.trim());

type Known = ReadonlyMap<string, readonly { employee_id: string; version: number }[]>;

async function byRegistration(actor: Actor, clientId: string, items: readonly Item[]): Promise<Known> {
  const rows = [];
  for (const keys of inBatches([...new Set(items.map(keyOf))]))
    rows.push(
      ...(await employeesOf(actor)
        .select(['employee_id', 'version', 'registration_key'])
        .where('client_id', '=', clientId)
        .where('registration_key', 'in', keys)
        .execute()),
    );
  return Map.groupBy(rows, (row) => row.registration_key);
}

async function storeOne(
  actor: Actor,
  clientId: string,
  { item, known, isRepeated }: { item: Item; known: Known; isRepeated: boolean },
): Promise<BulkItem> {
  const { registration } = item;
  const refused = (problems: EmployeeProblem[]): BulkItem => ({
    registration,
    status: 'refused',
    id: null,
    problems,
  });
  if (keyOf(item) === '') return refused([{ field: 'registration', problem: 'missing' }]);
  const [found, ...more] = known.get(keyOf(item)) ?? [];
  if (isRepeated || more.length > 0) return refused([{ field: 'registration', problem: 'taken' }]);
  const parsed = (found ? employeeChange : employeeInput).safeParse(item);
  if (!parsed.success) return refused(problemsOf(parsed.error.issues));
  try {
    const after = found
      ? await changeEmployee(actor, found.employee_id, employeeChange.parse(item), { source: 'api' })
      : await addEmployee(actor, clientId, employeeInput.parse(item), { source: 'api' });
    const status = found ? (after.version === found.version ? 'unchanged' : 'updated') : 'created';
    return { registration, status, id: after.id, problems: [] };
  } catch (error) {
    const reason = refusal(error);
    if (reason?.code !== 'INVALID') throw error;
    return refused(problemList.parse(reason.details['problems']));
  }
}

/** The problems that the schema found, by field. */
export const problemsOf = (
  issues: readonly { code?: string; path: PropertyKey[]; keys?: string[]; input?: unknown }[],
): EmployeeProblem[] =>
  issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? (issue.keys ?? []).map((field): EmployeeProblem => ({ field, problem: 'wrong' }))
      : [
          {
            field: issue.path.join('.'),
            problem: issue.code === 'too_small' || issue.code === 'invalid_type' ? 'missing' : 'wrong',
          },
        ],
  );
