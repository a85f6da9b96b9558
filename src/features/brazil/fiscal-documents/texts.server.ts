import type { KeysOf } from '#platform/text/translations.server.ts';
import type { ClientRole, Direction, State, Storage } from './fiscal-documents.ts';

/* The words of the archives, by their codes. */

type Text = KeysOf<'fiscal-documents'>;

export const STATE_TEXTS = {
  authorized: 'stateAuthorized',
  cancelled: 'stateCancelled',
  denied: 'stateDenied',
  rejected: 'stateRejected',
  noProtocol: 'stateNoProtocol',
  wrongProtocol: 'stateWrongProtocol',
  unproven: 'stateUnproven',
} as const satisfies Record<State, Text>;

export const DIRECTION_TEXTS = {
  in: 'directionIn',
  out: 'directionOut',
} as const satisfies Record<Direction, Text>;

export const ROLE_TEXTS = {
  issuer: 'roleIssuer',
  provider: 'roleProvider',
  recipient: 'roleRecipient',
  taker: 'roleTaker',
  sender: 'roleSender',
  dispatcher: 'roleDispatcher',
  receiver: 'roleReceiver',
  intermediary: 'roleIntermediary',
  buyer: 'roleBuyer',
  carrier: 'roleCarrier',
  other: 'roleOther',
} as const satisfies Record<ClientRole, Text>;

export const STORAGE_TEXTS = {
  nfe: 'titleNfe',
  nfce: 'titleNfce',
  cte: 'titleCte',
  cfe: 'titleCfe',
  xml: 'titleXml',
} as const satisfies Record<Storage, Text>;

/** States of which nothing can be claimed. */
export const BAD_STATES: readonly State[] = [
  'cancelled',
  'denied',
  'rejected',
  'noProtocol',
  'wrongProtocol',
];
