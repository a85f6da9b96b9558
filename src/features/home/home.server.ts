import { clientsByIds } from '#features/clients/clients.server.ts';
import { newFromFirm, unreadByClient } from '#features/documents/newest.server.ts';
import type { Document } from '#features/documents/documents.ts';
import { actorOf } from '#features/people/people.server.ts';
import { hasPart, type Actor } from '#features/people/people.ts';
import { responsibleFor } from '#features/people/responsible.server.ts';
import { newestOwnShares } from '#features/sharing/my-shares.server.ts';
import type { SentShare } from '#features/sharing/my-shares.ts';
import { firmToday } from '#features/tasks/scope.server.ts';
import {
  hasSeveralClients,
  listTasks,
  pendingByClient,
  type ListedTask,
} from '#features/task-lists/task-list.server.ts';
import { unreadByTask, unreadMessagesByClient } from '#features/task-messages/reading.server.ts';
import type { Lang } from '#platform/languages.ts';
import { byUrgency, type Company } from './companies.ts';

const MAX_DOCUMENTS = 5;
const MAX_TASKS = 5;
const MAX_SHARES = 3;
const MAX_COMPANIES = 8;

/** What the home page of a contact shows, over all their clients. */
export interface Home {
  /** Those with something to do or to read, the most urgent first; empty for contacts with one client. */
  companies: Company[];
  hasSeveralClients: boolean;
  /** Documents by the firm that the contact has not read, the newest first, each with the name of its client. */
  documents: { document: Document; client: string }[];
  tasks: ListedTask[];
  /** How many messages on each of these tasks the contact has not read. */
  unreadMessages: Map<string, number>;
  /** What the contact shared, the newest first. */
  shares: SentShare[];
  /** The day at the firm, with which due dates are compared. */
  today: string;
}

export async function homeOf(actor: Actor, lang: Lang): Promise<Home> {
  const severalClients = await hasSeveralClients(actor);
  const documents = await newFromFirm(actor, MAX_DOCUMENTS);
  const names = await clientsByIds(actor, [...new Set(documents.map(clientIdOf))]);
  const { tasks } = hasPart(actor.access, 'tasks')
    ? await listTasks(actor, { lang, clientId: undefined, isPending: true, from: 0 })
    : { tasks: [] };
  const shownTasks = tasks.slice(0, MAX_TASKS);
  return {
    companies: severalClients ? await companiesOf(actor) : [],
    hasSeveralClients: severalClients,
    documents: documents.map((document) => ({
      document,
      client: names.get(clientIdOf(document))?.displayAs ?? '',
    })),
    tasks: shownTasks,
    unreadMessages: await unreadByTask(
      actor,
      shownTasks.map(({ taskId }) => taskId),
    ),
    shares: await newestOwnShares(actor, MAX_SHARES),
    today: await firmToday(actor.companyId),
  };
}

const clientIdOf = ({ customFields }: Document): string => customFields['clientId'] ?? '';

async function companiesOf(actor: Actor): Promise<Company[]> {
  const [unread, pending] = [await unreadByClient(actor), await pendingByClient(actor, MAX_COMPANIES)];
  const messages = hasPart(actor.access, 'tasks') ? await unreadMessagesByClient(actor) : [];
  const newest = [unread, messages].flatMap((all) =>
    all.toSorted((a, b) => b.newestAt - a.newestAt).slice(0, MAX_COMPANIES),
  );
  const unreadAt = new Map(unread.map((one) => [one.clientId, one]));
  const messagesAt = new Map(messages.map((one) => [one.clientId, one]));
  const pendingAt = new Map(pending.map((one) => [one.clientId, one]));
  const clients = await clientsByIds(actor, [
    ...new Set([...pending, ...newest].map(({ clientId }) => clientId)),
  ]);
  return [...clients.values()]
    .map(({ id, displayAs }) => ({
      clientId: id,
      name: displayAs,
      unread: unreadAt.get(id)?.count ?? 0,
      messages: messagesAt.get(id)?.count ?? 0,
      newestAt: Math.max(unreadAt.get(id)?.newestAt ?? 0, messagesAt.get(id)?.newestAt ?? 0),
      tasks: pendingAt.get(id)?.count ?? 0,
      dueOn: pendingAt.get(id)?.dueOn ?? null,
    }))
    .toSorted(byUrgency)
    .slice(0, MAX_COMPANIES);
}

/** The name of the member of staff who is responsible for a client; undefined for none. */
export async function contactPersonOf(clientId: string): Promise<string | undefined> {
  const contactId = await responsibleFor(clientId);
  return contactId === undefined ? undefined : (await actorOf(contactId)).fullName;
}
