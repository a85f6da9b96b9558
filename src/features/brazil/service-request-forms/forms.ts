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
