/** What a line of the conversation says besides its words, by what happened. */
const KINDS = {
  submit: 'said_submit',
  'submit-minimum': 'said_submitMinimum',
  'submit-rest': 'said_submitRest',
  resubmit: 'said_resubmit',
  answer: 'said_answer',
  'take-back': 'said_takeBack',
  ask: 'said_ask',
  return: 'said_return',
  reply: 'said_reply',
  decline: 'said_decline',
  cancel: 'said_cancel',
  reopen: 'said_reopen',
} as const;

type Kind = keyof typeof KINDS;

export const isKind = (kind: string): kind is Kind => Object.hasOwn(KINDS, kind);
export const kindText = (kind: Kind): (typeof KINDS)[Kind] => KINDS[kind];
