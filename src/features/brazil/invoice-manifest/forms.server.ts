import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { decimal } from '#platform/inputs/schemas.server.ts';
import { MAX_REASON, PROTOCOL } from './invoice-manifest.ts';
import { EVENTS, JUSTIFICATION_PROBLEMS, MAX_JUSTIFICATION, PROBLEMS } from './rules.ts';
import { EVENT_TEXTS, JUSTIFICATION_TEXTS, PROBLEM_TEXTS } from './texts.server.ts';

const problemText = ({ problem }: Record<string, unknown>) =>
  PROBLEM_TEXTS[PROBLEMS.find((known) => known === problem) ?? 'expired'];

const LATE = {
  NOT_POSSIBLE: { text: problemText },
  CLOSED: 'refusedClosed',
  CHANGED: 'refusedChanged',
  GONE: 'clientArchived',
} as const;

/** Marks what an invoice should be told to be. */
export const markForm = defineForm('invoice-manifest', () => ({
  id: 'mark',
  title: 'markTitle',
  problemTitle: 'notMarked',
  submit: 'markSubmit',
  schema: z.object({
    event: z.enum(EVENTS),
    justification: z.string().max(2000),
    version: z.coerce.number().int(),
  }),
  fields: {
    version: { kind: 'hidden' },
    event: { kind: 'choices', label: 'markLabel', missing: 'eventMissing', wrong: 'eventMissing' },
    justification: {
      kind: 'textarea',
      label: 'justification',
      hint: 'justificationHint',
      optional: true,
      rows: 3,
      maxlength: MAX_JUSTIFICATION,
    },
  },
  refusals: {
    ...LATE,
    INVALID: {
      field: 'justification',
      text: ({ problem }) =>
        JUSTIFICATION_TEXTS[JUSTIFICATION_PROBLEMS.find((known) => known === problem) ?? 'missing'],
    },
  },
}));

/** Refuses what was marked. */
export const refuseForm = defineForm('invoice-manifest', () => ({
  id: 'refuse',
  title: 'refuseTitle',
  problemTitle: 'notRefused',
  submit: 'refuse',
  schema: z.object({ reason: z.string().trim().min(1).max(MAX_REASON) }),
  fields: {
    reason: {
      kind: 'textarea',
      label: 'reason',
      hint: 'reasonHint',
      missing: 'reasonMissing',
      wrong: 'reasonMissing',
      rows: 3,
      maxlength: MAX_REASON,
    },
  },
  refusals: LATE,
}));

/** Records what somebody has told the authority elsewhere. */
export const recordForm = defineForm('invoice-manifest', () => ({
  id: 'record',
  title: 'recordTitle',
  problemTitle: 'notRecorded',
  submit: 'recordSubmit',
  schema: z.object({
    event: z.enum(EVENTS),
    protocol: z
      .string()
      .transform((text) => text.replaceAll(/[\s.-]/g, ''))
      .pipe(z.string().regex(PROTOCOL)),
    registeredOn: z.iso.date(),
  }),
  fields: {
    event: {
      kind: 'select',
      label: 'columnEvent',
      options: EVENTS.map((event) => [event, EVENT_TEXTS[event]] as const),
    },
    protocol: {
      kind: 'text',
      label: 'protocol',
      hint: 'protocolHint',
      missing: 'protocolWrong',
      wrong: 'protocolWrong',
      inputmode: 'numeric',
      maxlength: 20,
      autocomplete: 'off',
    },
    registeredOn: {
      kind: 'date',
      input: 'local',
      years: { before: 1, after: 0 },
      label: 'registeredOn',
      missing: 'registeredOnWrong',
      wrong: 'registeredOnWrong',
    },
  },
  refusals: {
    ...LATE,
    INVALID: {
      field: ({ field }) => (field === 'protocol' ? 'protocol' : 'registeredOn'),
      text: ({ field }) => (field === 'protocol' ? 'protocolWrong' : 'registeredOnWrong'),
    },
  },
}));

/** From which value on people are reminded, and whether awareness is registered automatically. */
export const settingsForm = defineForm('invoice-manifest', () => ({
  id: 'settings',
  title: 'settingsTitle',
  problemTitle: 'notSaved',
  submit: 'save',
  schema: z.object({
    remindFrom: decimal().transform((amount) => Math.round((amount ?? 0) * 100)),
    isAwareAutomatic: z.boolean(),
  }),
  fields: {
    remindFrom: {
      kind: 'money',
      currency: 'BRL',
      label: 'remindFrom',
      hint: 'remindFromHint',
      optional: true,
    },
    isAwareAutomatic: { kind: 'checkbox', label: 'isAwareAutomatic', hint: 'isAwareAutomaticHint' },
  },
}));
