import { defineEvent } from '#platform/runtime/events.server.ts';

interface SigningEvent {
  signingId: string;
  taskId: string;
  companyId: string;
  clientId: string;
  title: string;
}

/** Something about a request needs the firm: it was declined, the wrong person has a link, or it cannot be sealed. */
export const signingNeedsFirm = defineEvent<SigningEvent & { senderId: string }>();

/** A signed document waits for its timestamp, since the authority does not answer; {@link signingSettled} ends it. */
export const sealWaits = defineEvent<Omit<SigningEvent, 'taskId' | 'clientId'> & { senderId: string }>();

/** What the firm had to see to is done. */
export const signingSettled = defineEvent<{ signingId: string }>();
