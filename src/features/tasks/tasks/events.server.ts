import type { Actor } from '#features/base/people/people.ts';
import { defineEvent } from '#platform/runtime/events.server.ts';

interface TaskEvent {
  taskId: string;
  companyId: string;
  clientId: string;
  /** In the language of the firm. */
  title: string;
}

/** A client submitted a task that the firm has to accept; announced in the transaction of the submission. */
export const taskSubmitted = defineEvent<TaskEvent>();

/** A client is about to submit a task: a subscriber that finds something undecided throws INCOMPLETE. */
export const taskBeingSubmitted = defineEvent<{ taskId: string }>();

/** A client says that a task does not apply, and why. */
export const taskNotApplicable = defineEvent<TaskEvent & { reason: string }>();

/** The firm asked for a task. Contacts get an email about it if `isAnnounced`. */
export const taskCreated = defineEvent<TaskEvent & { isAnnounced: boolean }>();

/** What the firm does with a task that concerns the contacts of its client. */
export type FirmChange = 'returned' | 'reopened' | 'cancelled' | 'accepted' | 'rescheduled';

/** The firm changed a task, in a way that its contacts want to know. */
export const taskChangedByFirm = defineEvent<TaskEvent & { change: FirmChange }>();

/**
 * A contact has promised all documents of a task that are still missing, the last of them on this date. Announced in
 * the transaction that stores it.
 */
export const taskItemsPromised = defineEvent<{ taskId: string; contactId: string; promisedOn: string }>();

/** The firm deleted a task; announced in the transaction, while its rows are still there. */
export const taskDeleted = defineEvent<{ taskId: string }>();

/** A submitted task no longer waits for the firm: accepted, returned, taken back, cancelled, reopened or deleted. */
export const taskSettled = defineEvent<{ taskId: string }>();

/** A list of tasks needs the number of messages on each that the actor has not read: whoever stores messages adds it. */
export const unreadMessagesRequested = defineEvent<{
  actor: Actor;
  taskIds: readonly string[];
  add: (taskId: string, count: number) => void;
}>();
