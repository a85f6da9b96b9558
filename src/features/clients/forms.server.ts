import { z } from 'zod';
import { defineForm } from '#platform/forms.server.ts';

/** The nickname of a client. */
export const nicknameForm = defineForm('clients', () => ({
  id: 'nickname-form',
  title: 'nicknameTitle',
  problemTitle: 'errorTitle',
  submit: 'nicknameSave',
  schema: z.object({ client: z.string(), nickname: z.string() }),
  fields: {
    client: { kind: 'hidden', label: 'nickname' },
    nickname: { kind: 'text', label: 'nickname', hint: 'nicknameHint', optional: true, autocomplete: 'off' },
  },
  refusals: { INVALID: { field: 'nickname', text: 'nicknameWrong' } },
}));
