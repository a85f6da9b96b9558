import { seesEmployees } from '#features/brazil/employees/access.server.ts';
import { employeeOf } from '#features/brazil/employees/employees.server.ts';
import { shownPeriodOf } from '#features/brazil/employees/employees.ts';
import type { Actor } from '#features/base/people/people.ts';

const MONTHLY = '5';

/** What is known of the employee whom the address names, for a form; nothing if it names none. FORBIDDEN, NOT_FOUND. */
export async function valuesOfEmployee(actor: Actor, { searchParams }: URL): Promise<Record<string, string>> {
  const id = searchParams.get('employee');
  if (id === null || !seesEmployees(actor)) return {};
  const { name, hiredOn, salaryCents, salaryUnit, vacationPeriods } = await employeeOf(actor, id);
  const open = vacationPeriods.map(shownPeriodOf).find(({ leftDays }) => leftDays > 0);
  return {
    employee: name,
    admission: hiredOn,
    ...(salaryCents !== null && salaryUnit === MONTHLY && { salary: (salaryCents / 100).toFixed(2) }),
    ...(open && { periodStart: open.startsOn, absences: String(open.absences) }),
  };
}
