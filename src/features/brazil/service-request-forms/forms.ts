import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import { employeeRegistration } from './employee-registration.ts';
import { generalRequests, payrollEntries } from './general.ts';
import { employeeLeave } from './leave.ts';
import { internRegistration, partnerRegistration } from './other-registrations.ts';
import { terminationCalculation, terminationNotice } from './termination.ts';
import { vacationCalculation, vacationNotice } from './vacation.ts';

/** The kinds of requests, by the names of the specification. Simulations have pages of their own. */
export const REQUEST_TYPES = [
  'payrollEntries',
  'internRegistration',
  'partnerRegistration',
  'vacationCalculation',
  'vacationNotice',
  'terminationNotice',
  'terminationCalculation',
  'employeeLeave',
  'generalRequests',
  'employeeRegistration',
] as const;
export type RequestType = (typeof REQUEST_TYPES)[number];

export const FORMS: Readonly<Record<RequestType, TemplateInput>> = {
  payrollEntries,
  internRegistration,
  partnerRegistration,
  vacationCalculation,
  vacationNotice,
  terminationNotice,
  terminationCalculation,
  employeeLeave,
  generalRequests,
  employeeRegistration,
};

/** The question about whom a request is, where it asks one. */
export const EMPLOYEE_PATH = 'request.employee';

/** The section that is enough for the firm to act, where the law does not wait for the rest (S-2190). */
const MINIMUM: Partial<Record<RequestType, string>> = { employeeRegistration: 'request' };

/** Whether requests of a kind can be sent in two steps. */
export const hasMinimum = (type: RequestType): boolean => MINIMUM[type] !== undefined;

/** The part of a form that is sent first; of a kind that is sent at once, the whole form. */
export const minimumOf = <Form extends Pick<TemplateInput, 'sections'>>(
  type: RequestType,
  form: Form,
): Form => ({
  ...form,
  sections: form.sections.filter(({ key }) => MINIMUM[type] === undefined || key === MINIMUM[type]),
});
