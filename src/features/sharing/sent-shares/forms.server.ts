import { z } from 'zod';
import { extension } from '#features/sharing/sharing/my-shares.ts';
import { defineForm } from '#platform/forms/forms.server.ts';

const stepRefusals = {
  GONE: 'isOver',
  NOT_FOUND: 'notSendable',
  EMPTY: 'notSendable',
  TOO_LARGE: 'notSendable',
  DOMAIN_NOT_ALLOWED: {
    text: 'toDomain',
    vars: ({ domains = [] }: Record<string, unknown>) => ({ domains: (domains as string[]).join(', ') }),
  },
  TOO_MANY: 'tooMany',
} as const;
const step = { id: 'share-step', problemTitle: 'notDone', refusals: stepRefusals } as const;
const end = { ...step, schema: z.object({}), fields: {} } as const;
/** The page supplies the periods with the translations of the share form. */
const send = {
  ...step,
  schema: extension,
  fields: { expirationPeriod: { kind: 'select', label: 'expiration', wrong: 'expirationMissing' } },
} as const;

/** Revokes the link of one recipient. */
export const endOneForm = defineForm('shares', () => ({ ...end, title: 'endOneTitle', submit: 'endOne' }));
/** Revokes all links of a share. */
export const endAllForm = defineForm('shares', () => ({ ...end, title: 'endAllTitle', submit: 'endAll' }));
/** Extends the links of a share. */
export const extendForm = defineForm('shares', () => ({ ...send, title: 'extendTitle', submit: 'extend' }));
/** Sends a link again. */
export const againForm = defineForm('shares', () => ({ ...send, title: 'againTitle', submit: 'again' }));
