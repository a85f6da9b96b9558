import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import type { KindRules } from './kind-rules.ts';

/* The rules of each kind, loaded when somebody fills one in: a browser loads those of one kind. */

type Rules = () => Promise<{ rules: KindRules }>;

const vacation: Rules = () => import('./vacation.ts');
const termination: Rules = () => import('./termination.ts');

const RULES: Partial<Record<RequestType, Rules>> = {
  vacationNotice: vacation,
  vacationCalculation: vacation,
  employeeRegistration: () => import('./admission.ts'),
  internRegistration: () => import('./internship.ts'),
  partnerRegistration: () => import('./partnership.ts'),
  terminationNotice: termination,
  terminationCalculation: termination,
  employeeLeave: () => import('./leave.ts'),
};

/** Whether the law says something about a kind. */
export const hasRules = (type: RequestType): boolean => RULES[type] !== undefined;

/** The rules of a kind; undefined if the law says nothing about it. */
export const rulesOf = async (type: RequestType): Promise<KindRules | undefined> =>
  (await RULES[type]?.())?.rules;
