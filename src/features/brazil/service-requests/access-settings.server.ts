import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';

export const accessSettings: Contributions['access'] = [
  {
    name: 'ServiceRequest.Denied',
    place: 'the actions of service-request',
    row: {
      group: 'actions',
      order: 10,
      label: text('portal', 'sectionServiceRequest'),
      isShown: true,
      isInverted: true,
    },
  },
  {
    name: 'ServiceRequest.Employee',
    place: 'the action service-request/employee-registration',
    row: {
      group: 'actions',
      order: 20,
      label: text('portal', 'employeeRegistration'),
      isShown: true,
      needs: 'service-request',
    },
  },
  {
    name: 'ServiceRequest.Partner',
    place: 'the action service-request/partner-registration',
    row: {
      group: 'actions',
      order: 30,
      label: text('portal', 'partnerRegistration'),
      isShown: true,
      needs: 'service-request',
    },
  },
  {
    name: 'ServiceRequest.Intern',
    place: 'the action service-request/intern-registration',
    row: {
      group: 'actions',
      order: 40,
      label: text('portal', 'internRegistration'),
      isShown: true,
      needs: 'service-request',
    },
  },
];
