import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { MAX_REASON, MIN_REASON } from './staff.ts';

/** Starts viewing the portal as a contact, for a stated reason. */
export const viewAsForm = defineForm('staff', (message) => ({
  id: 'view-as',
  title: 'viewAsTitle',
  problemTitle: 'errorTitle',
  submit: 'startViewing',
  schema: z.object({
    reason: z.string().trim().min(MIN_REASON, message('reasonShort')).max(MAX_REASON, message('reasonLong')),
  }),
  fields: {
    reason: { kind: 'textarea', label: 'reason', hint: 'reasonHint', rows: 3, maxlength: 500 },
  },
}));
