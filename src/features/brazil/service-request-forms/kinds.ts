import type { TemplateInput, Text } from '#features/tasks/questionnaires/questionnaires.ts';
import { employeeRegistration } from './employee-registration.ts';
import { generalRequests, payrollEntries } from './general.ts';
import { employeeLeave } from './leave.ts';
import { internRegistration, partnerRegistration } from './other-registrations.ts';
import { terminationCalculation, terminationNotice } from './termination.ts';
import { vacationCalculation, vacationNotice } from './vacation.ts';

/*
 * The kinds of requests, by the names of the specification: all that differs between them, besides what the law says
 * (service-request-rules) and what replies change of employees. A new kind is a form and its entry here.
 * Simulations have pages of their own.
 */

export interface RequestKind {
  form: TemplateInput;
  /** Its address among the actions (spec 1, section 2). */
  action: string;
  /** The category of the list that shows its requests (spec 2). */
  category: string;
  /** The section that is enough for the firm to act, where the law does not wait for the rest (S-2190). */
  minimum?: string;
  /** Questions that some payroll programs need and no event of eSocial has: not asked unless the firm wants it. */
  hidden?: readonly string[];
  /** What the law needs of some requests, and therefore no question requires. */
  legal?: readonly string[];
  /** What it is called, if it is not of the specification: as an action, as a kind, and as a category of many. */
  names?: { action: Text; kind: Text; category: Text };
}

/** Whether the employee agrees with several parts is needed of vacations in parts only. */
const vacation = { hidden: ['request.collective'], legal: ['request.agree'] };
const termination = { hidden: ['request.assets'] };

/** In the order of the categories. */
export const KINDS = {
  payrollEntries: { form: payrollEntries, action: 'payroll-entries', category: 'payrollEntry' },
  vacationNotice: {
    form: vacationNotice,
    action: 'vacation-notice',
    category: 'vacationNotice',
    ...vacation,
  },
  terminationNotice: {
    form: terminationNotice,
    action: 'termination-notice',
    category: 'terminationNotice',
    ...termination,
  },
  vacationCalculation: {
    form: vacationCalculation,
    action: 'vacation-calculation',
    category: 'vacationCalculation',
    ...vacation,
  },
  terminationCalculation: {
    form: terminationCalculation,
    action: 'termination-calculation',
    category: 'terminationCalculation',
    ...termination,
  },
  employeeLeave: { form: employeeLeave, action: 'employee-leave', category: 'employeeLeave' },
  employeeRegistration: {
    form: employeeRegistration,
    action: 'employee-registration',
    category: 'employee',
    minimum: 'request',
    hidden: ['person.mother', 'pay.pis', 'pay.ctps'],
  },
  internRegistration: {
    form: internRegistration,
    action: 'intern-registration',
    category: 'intern',
    hidden: ['person.mother'],
  },
  partnerRegistration: {
    form: partnerRegistration,
    action: 'partner-registration',
    category: 'taxpayer',
    hidden: ['person.mother', 'partnership.pis'],
  },
  generalRequests: { form: generalRequests, action: 'general-requests', category: 'generic' },
} as const satisfies Readonly<Record<string, RequestKind>>;
