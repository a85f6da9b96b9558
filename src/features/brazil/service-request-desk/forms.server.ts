import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';

/** Makes somebody responsible for many requests. */
export const assignForm = defineForm('service-request-desk', () => ({
  id: 'assign-requests',
  title: 'do_assign',
  problemTitle: 'notDone',
  submit: 'do_assign',
  schema: z.object({ responsible: z.string().max(60) }),
  fields: { responsible: { kind: 'select', label: 'columnResponsible' } },
  refusals: { STALE: 'batchChanged', NOT_FOUND: 'batchChanged' },
}));
