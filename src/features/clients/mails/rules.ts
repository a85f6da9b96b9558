/** What the reason of a mail that was not accepted or has bounced means for staff. */
export type ReasonMeaning =
  'noMailbox' | 'mailboxFull' | 'mailboxDisabled' | 'unreachable' | 'rejected' | 'ourServer' | 'refused';

const OURS = new Set(['NO_SMTP_URL', 'EAUTH', 'ETLS', 'ENOAUTH', '530', '535', '534']);
const NETWORK = new Set(['ESOCKET', 'ECONNECTION', 'ETIMEDOUT', 'EDNS', 'ECONNREFUSED', 'ECONNRESET']);

/** Interprets an enhanced status code (RFC 3463), a code of SMTP or the code of an error. */
export function meaningOf(reason: string): ReasonMeaning {
  if (OURS.has(reason)) return 'ourServer';
  if (NETWORK.has(reason)) return 'unreachable';
  const [, subject, detail] = reason.split('.');
  if (subject === '1') return 'noMailbox';
  if (subject === '2') return detail === '2' ? 'mailboxFull' : 'mailboxDisabled';
  if (subject === '4') return 'unreachable';
  if (subject === '7') return 'rejected';
  return 'refused';
}
