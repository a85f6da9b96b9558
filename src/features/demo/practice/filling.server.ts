import { randomBytes } from 'node:crypto';
import { createClient } from '#features/clients/clients/editing.server.ts';
import { linkContact } from '#features/clients/clients/clients.server.ts';
import { addClientMessage } from '#features/clients/client-messages/messages.server.ts';
import { actorOf, createContact, createUser, decideAccess } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { noteFirstDay } from '#features/base/firms/firms.server.ts';
import { demoFile } from '#features/demo/demo/files.server.ts';
import { request } from '#features/demo/demo/tasks.server.ts';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { createProject } from '#features/documents/folders/folders.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { at, DAY, now } from '#platform/runtime/clock.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { storyIn, type PracticeStory } from './stories.ts';

/** An address of nobody: the domain never exists (RFC 6761). */
export function practiceAddress(name: string): string {
  const local = fold(name)
    .replaceAll(/[^a-z]+/g, '.')
    .replaceAll(/^\.|\.$/g, '')
    .slice(0, 40);
  return `${local === '' ? 'somebody' : local}.${randomBytes(4).toString('hex')}@practice.invalid`;
}

/** What everybody may do, and what is on, as in the real firm. */
export async function copyAccess(from: string, to: string): Promise<void> {
  const rows = await db()
    .selectFrom('access_settings')
    .select(['kind', 'name', 'granted'])
    .where('company_id', '=', from)
    .where('contact_id', '=', '')
    .execute();
  for (const { kind, name, granted } of rows)
    await decideAccess(to, undefined, { kind, name }, granted === 1);
}

/**
 * Fills a practice firm through the functions that serve requests: three clients, one of whom answers late and one who has
 * answered, with documents, tasks and a message.
 */
export async function fillPracticeFirm(staff: Actor, lang: Lang): Promise<void> {
  const story = storyIn(lang);
  const today = now();
  await noteFirstDay(staff.companyId, { first_day_done_at: today });
  await at(today - 9 * DAY, async () => {
    const [business, person, other] = await makeClients(staff, story, lang);
    await addDocuments(staff, story, business);
    await request(staff, business.clientId, lang, { ...story.overdue, due: day(today - 2 * DAY) });
    const answered = await request(staff, person.clientId, lang, {
      ...story.answered,
      due: day(today + 5 * DAY),
      isRequired: false,
    });
    await at(today - 3 * DAY, () =>
      request(staff, business.clientId, lang, { ...story.open, due: day(today + 7 * DAY) }),
    );
    await at(today - DAY, async () => {
      await performAction(await actorOf(person.contactId), answered, 'submit');
      await addClientMessage(await actorOf(business.contactId), business.clientId, { text: story.message });
      await request(staff, other.clientId, lang, { ...story.open, due: day(today + 14 * DAY) });
    });
  });
}

const day = (instant: number): string => dayOf(instant, 'UTC');

interface MadeClient {
  clientId: string;
  contactId: string;
}

/** Two clients of the first person, one of the second. */
async function makeClients(
  staff: Actor,
  story: PracticeStory,
  lang: Lang,
): Promise<[business: MadeClient, person: MadeClient, other: MadeClient]> {
  const [first, second] = story.people;
  const owner = await makeContact(staff.companyId, first, lang);
  // later than the first, since lists are in the order in which they were created
  const individual = await at(now() + 1, () => makeContact(staff.companyId, second, lang));
  const make = async (contactId: string, name: string, kind: 'business' | 'individual') => {
    const clientId = await createClient(staff, { name, kind, code: '', responsible: [staff.contactId] });
    await linkContact(clientId, contactId);
    return { clientId, contactId };
  };
  return [
    await make(owner, story.business, 'business'),
    await make(individual, second, 'individual'),
    await make(owner, story.other, 'business'),
  ];
}

async function makeContact(companyId: string, fullName: string, lang: Lang): Promise<string> {
  const [firstName = '', lastName = ''] = fullName.split(' ');
  const email = practiceAddress(fullName);
  const user = { email, firstName, lastName, language: LANGUAGES[lang], passwordHash: null };
  return createContact({ companyId, prismGuid: await createUser(user), fullName });
}

async function addDocuments(
  staff: Actor,
  story: PracticeStory,
  { clientId, contactId }: MadeClient,
): Promise<void> {
  const { id, containerType } = await createProject(staff, { clientId, name: story.folder });
  const contact = await actorOf(contactId);
  for (const { file, name, isByClient } of story.documents)
    await addDocument(isByClient ? contact : staff, {
      containerType,
      containerId: id,
      name,
      bytes: demoFile(file),
      onConflict: 'rename',
    });
}
