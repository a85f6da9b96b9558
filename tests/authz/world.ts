import { createFolder, createProject } from '#features/documents/folders/folders.server.ts';
import { startUpload } from '#features/documents/uploads/parts.server.ts';
import type { Container, ContainerType } from '#features/documents/folders/folders.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { startExport } from '#features/documents/downloads/exports.server.ts';
import { createFirm } from '#features/base/firms/firms.server.ts';
import { invite } from '#features/identity/invitations/invitations.server.ts';
import { startSignIn } from '#features/identity/sign-in/sign-in.server.ts';
import { actorOf, createContact, decideAccess } from '#features/base/people/people.server.ts';
import { resolveInInbox } from '#features/office/inbox/items.server.ts';
import type { Actor, StaffRole } from '#features/base/people/people.ts';
import { endSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { openShare } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import type { ShareRequest } from '#features/sharing/sharing/sharing.ts';
import { at, HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { newId, newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, fold, migrate } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';
import {
  BROWSER,
  client,
  uploadAs,
  lockFirm,
  startMailServer,
  unlink,
  type ReceivedMail,
} from '../support/cast.ts';
import { assignClient } from '#features/base/people/rights.server.ts';
import {
  actsFor,
  isStaff,
  PERSONS,
  type ClientKey,
  type LinkKey,
  type Person,
  type Thing,
} from './policy.ts';
import { ACCESS } from './features.ts';
import {
  live,
  noIds,
  type Choices,
  type ClientOfWorld,
  type Kind,
  type KindOfFeatures,
  type PerType,
  type WorldSoFar,
} from './things.ts';
import { runDueJobs } from '../support/jobs.ts';

/*
 * The fixture of the authorization tests: three firms, the third one locked. Every text of a firm contains
 * CANARY-F1, -F2 or -F3, and every text of a client also CANARY-C1 to -C6, so that any response shows whose
 * data is in it. Features add things of their own (`things` of tests/features/<feature>/access.ts).
 */

export interface World {
  /** Contacts and staff by person; persons without one call without a session. */
  actors: Partial<Record<Person, Actor>>;
  clients: Record<ClientKey, ClientOfWorld>;
  /** The possible values of ids: by kind, then by choice. */
  things: Record<Kind, Choices>;
  /** A new Cookie header of a person. */
  cookieOf: (person: Person) => Promise<string>;
  /** A new Cookie header of staff of the first firm who impersonate the contact of both firms. */
  viewingCookie: () => Promise<string>;
  letters: ReceivedMail[];
  /** Links by state. */
  links: Record<LinkKey, string>;
}

export const idsOf = (things: Readonly<Record<string, Thing>>): Record<string, string> =>
  Object.fromEntries(Object.entries(things).map(([name, { id }]) => [name, id]));

/** The authorization code of the protected link, which must never appear anywhere. */
export const CODE = 'maple-7-secret';

export async function makeWorld(): Promise<World> {
  await migrate();
  const [one, two, three] = [
    await makeFirm('CANARY-F1'),
    await makeFirm('CANARY-F2'),
    await makeFirm('CANARY-F3'),
  ];
  const [
    own,
    both,
    sibling,
    staff,
    taken,
    twoFirms,
    other,
    otherStaff,
    locked,
    pending,
    viewer,
    assigned,
    reader,
  ] = await Promise.all([
    person(one, 'Ada CANARY-F1-CANARY-C1', 'ada-CANARY-F1-CANARY-C1@one.example'),
    person(one, 'Cleo CANARY-F1', 'cleo-CANARY-F1@one.example'),
    person(one, 'Ben CANARY-F1-CANARY-C2', 'ben-CANARY-F1-CANARY-C2@one.example'),
    person(one, 'Sam CANARY-F1', 'sam-CANARY-F1@one.example', { role: 'member' }),
    person(one, 'Vic CANARY-F1', 'vic-CANARY-F1@one.example'),
    person(one, 'Dan Both', 'dan@both.example'), // a person's name appears in both of their firms
    person(two, 'Zoe CANARY-F2', 'zoe-CANARY-F2@two.example'),
    person(two, 'Tom CANARY-F2', 'tom-CANARY-F2@two.example', { role: 'member' }),
    person(three, 'Lou CANARY-F3', 'lou-CANARY-F3@three.example'),
    person(one, 'Mia CANARY-F1', 'mia-CANARY-F1@one.example', { mfaRequired: true }),
    person(one, 'Vera CANARY-F1', 'vera-CANARY-F1@one.example', { role: 'member' }),
    person(one, 'Ari CANARY-F1', 'ari-CANARY-F1@one.example', { role: 'member', hasAllClients: false }),
    person(one, 'Rita CANARY-F1', 'rita-CANARY-F1@one.example', { role: 'reader' }),
  ]);
  await decideAccess(one, viewer.contactId, { kind: 'permission', name: 'ViewAs' }, true);
  const danOfTwo = await actorOf(
    await createContact({ companyId: two, prismGuid: twoFirms.prismGuid, fullName: 'Dan CANARY-F2' }),
  );
  const clients: World['clients'] = {
    own: await makeClient('own', one, 'CANARY-C1', [own, both, taken, twoFirms, pending], staff),
    sibling: await makeClient('sibling', one, 'CANARY-C2', [sibling, both], staff),
    'staff only': await makeClient('staff only', one, 'CANARY-C3', [], staff),
    'other firm': await makeClient('other firm', two, 'CANARY-F2-CANARY-C4', [other, danOfTwo], otherStaff),
    'other firm, second': await makeClient('other firm, second', two, 'CANARY-F2-CANARY-C5', [], otherStaff),
    'locked firm': await makeClient('locked firm', three, 'CANARY-F3-CANARY-C6', [locked], locked),
  };
  await assignClient(clients.own.id, assigned.contactId);
  const gone = await makeDeleted(clients.own, one, own, staff);
  const exported = {
    'of the own contact': await startExport(own, [clients.own.papers.Project.id]),
    'of a sibling contact': await startExport(sibling, [clients.sibling.papers.Project.id]),
    'of staff': await startExport(staff, [clients['staff only'].papers.Project.id]),
    'of a contact of the other firm': await startExport(other, [clients['other firm'].papers.Project.id]),
  };
  const begun = async (by: Actor, { places }: ClientOfWorld): Promise<string> =>
    (
      await startUpload(by, 1000, {
        filename: 'Half.pdf',
        containerType: 'Project',
        containerId: places.Project,
        onConflict: 'rename',
      })
    ).uploadId;
  const begins = {
    'of the own contact': await begun(own, clients.own),
    'of a sibling contact': await begun(sibling, clients.sibling),
    'of staff': await begun(staff, clients['staff only']),
    'of a contact of the other firm': await begun(other, clients['other firm']),
  };
  await runDueJobs();
  const mailServer = await startMailServer();
  const { links, visits, letters } = await makeLinks(
    { own, taken, sibling, other, locked },
    clients,
    gone,
    mailServer,
  );
  const sent = await makeSent({ own, sibling, other, locked }, clients);
  const made = await makeThings({
    staff,
    otherStaff,
    authors: {
      'the own contact': own,
      'a sibling contact': sibling,
      staff,
      'a contact of the other firm': other,
    },
    clients,
  });
  await mailServer.deliver();
  for (const letter of letters) {
    const id = newId('mail');
    await db()
      .insertInto('mailbox')
      .values({
        mail_id: id,
        received_at: now(),
        recipients: encryptFor('mailbox.recipients', id, letter.recipients.join(', ')),
        raw: encryptFor('mailbox.raw', id, letter.raw),
      })
      .execute();
  }
  await unlink(clients.own.id, taken);
  for (const { companyId, contactId } of [staff, otherStaff, assigned])
    await decideAccess(companyId, contactId, { kind: 'permission', name: 'ManageContacts' }, true);
  const inviteFrom = async ({ contactId }: Actor, mark: string, { id }: ClientOfWorld) =>
    (
      await invite(await actorOf(contactId), {
        emailAddress: `${mark}-guest@out.example`,
        firstName: mark,
        lastName: 'Guest',
        language: 'en-us',
        clientIds: [id],
      })
    ).invitationId;
  const invitations = {
    own: await inviteFrom(staff, 'CANARY-F1', clients.own),
    sibling: await inviteFrom(staff, 'CANARY-F1-CANARY-C2', clients.sibling),
    other: await inviteFrom(otherStaff, 'CANARY-F2', clients['other firm']),
  };
  await mailServer.discard(); // a pending mail would be retried, which changes its row during reads
  await mailServer.close();
  await lockFirm(three, true);

  const signedIn = {
    'the own contact': own,
    'a contact with two clients': both,
    'a sibling contact': sibling,
    staff,
    'a contact of the other firm': other,
    'staff of the other firm': otherStaff,
    'a contact of a locked firm': locked,
    'a contact whose client was taken away': taken,
    'a contact of both firms': twoFirms,
    'staff with assigned clients': assigned,
    'read-only staff': reader,
  };
  const sid = async (actor: Actor): Promise<string> => `sid=${await startSession(actor, BROWSER)}`;
  const cookies: Record<Exclude<Person, keyof typeof signedIn>, () => Promise<string>> = {
    'a visitor': () => Promise.resolve(''),
    'a user whose second step is missing': async () =>
      (await startSignIn('en-us', '/')).cookies.map((cookie) => cookie.split(';', 1)[0]).join('; '),
    'an expired session': () => at(now() - 31 * MINUTE, () => sid(own)),
    'an ended session': async () => {
      const token = await startSession(own, BROWSER);
      await endSession(sha256(token));
      return `sid=${token}`;
    },
    // Guessed tokens, a different kind each time: a well-formed token, a stored hash, somebody's id.
    'a forged cookie': async () =>
      `sid=${[newToken(), sha256(await startSession(own, BROWSER)), own.contactId][(forged += 1) % 3] ?? ''}`,
    'a link recipient': () => Promise.resolve(`visit=${visits.join('.')}`),
  };
  return {
    actors: signedIn,
    clients,
    things: {
      ...(await thingsOf(clients, gone, links)),
      firm: {
        one: { id: one, state: 'live' },
        two: { id: two, state: 'live' },
        'three, locked': { id: three, state: 'live' },
        ...noIds('firm'),
      },
      ...peopleThings(signedIn),
      invitation: {
        own: live(invitations.own, 'own'),
        'of the sibling client': live(invitations.sibling, 'sibling'),
        'of the other firm': live(invitations.other, 'other firm'),
        ...noIds('invitation'),
      },
      export: {
        ...Object.fromEntries(
          Object.entries(exported).map(([of, id]): [string, Thing] => [
            of,
            { id, state: 'live', seenBy: PERSONS.filter((person) => `of ${person}` === of) },
          ]),
        ),
        ...noIds('export'),
      },
      upload: {
        ...Object.fromEntries(
          Object.entries(begins).map(([of, id]): [string, Thing] => [
            of,
            { id, state: 'live', seenBy: PERSONS.filter((person) => `of ${person}` === of) },
          ]),
        ),
        ...noIds('upload'),
      },
      ...sent,
      ...made,
    },
    cookieOf: (who) =>
      who in signedIn ? sid(signedIn[who as keyof typeof signedIn]) : cookies[who as keyof typeof cookies](),
    viewingCookie: async () => {
      const viewing = {
        staff: viewer,
        reason: 'to look for what they ask about',
        until: now() + 30 * MINUTE,
      };
      return `sid=${await startSession(twoFirms, { ...BROWSER, viewing })}`;
    },
    letters,
    links,
  };
}

let forged = 0;

/** What the features add, each after those that it depends on. */
async function makeThings(world: Omit<WorldSoFar, 'things'>): Promise<Pick<World['things'], KindOfFeatures>> {
  const made: Partial<World['things']> = {};
  for (const [feature, { things }] of Object.entries(ACCESS)) {
    if (!things) continue;
    const own = await things.make({ ...world, things: made as World['things'] });
    const missing = Object.keys(things.kinds).filter((kind) => !Object.hasOwn(own, kind));
    if (missing.length > 0) throw new Error(`${feature} makes no ${missing.join(' or ')} for the matrix.`);
    Object.assign(made, own);
  }
  return made as Pick<World['things'], KindOfFeatures>;
}

/** A person without a password, since hashing one would take longer than everything else. */
async function person(
  companyId: string,
  fullName: string,
  email: string,
  {
    role,
    hasAllClients = true,
    mfaRequired = false,
  }: { role?: StaffRole; hasAllClients?: boolean; mfaRequired?: boolean } = {},
): Promise<Actor> {
  const prismGuid = newId('user');
  const [firstName = '', lastName = ''] = fullName.split(' ');
  await db()
    .insertInto('users')
    .values({
      prism_guid: prismGuid,
      email: encryptFor('users.email', prismGuid, email),
      email_key: await blindIndex(fold(email)),
      first_name: firstName,
      last_name: lastName,
      language: 'en-US',
      password_hash: null,
      mfa_required: mfaRequired ? 1 : 0,
      created_at: now(),
    })
    .execute();
  return actorOf(
    await createContact({
      companyId,
      prismGuid,
      fullName,
      hasAllClients,
      ...(role !== undefined && { role }),
    }),
  );
}

const makeFirm = (mark: string): Promise<string> =>
  createFirm({
    name: `${mark} Ledger`,
    phone: `${mark} +1 312 555 0142`,
    email: `office-${mark}@firm.example`,
    language: 'en-us',
    loginPageText: `${mark} welcome`,
  });

/**
 * A client with a document in each kind of container, uploaded by its contact if it has one, else by staff.
 */
async function makeClient(
  key: ClientKey,
  companyId: string,
  mark: string,
  contacts: Actor[],
  staff: Actor,
): Promise<ClientOfWorld> {
  const id = await client(companyId, `${mark} works`, `${mark}-1`, contacts);
  const hand = contacts[0] ?? staff;
  const project = await createProject(staff, {
    clientId: id,
    name: `${mark} accounts`,
    productType: `${mark} return`,
    processingYear: 2025,
  });
  const folder = await createFolder(staff, {
    name: `${mark} letters`,
    parentId: project.id,
    parentType: 'Project',
  });
  const places: PerType<string> = { Client: id, Project: project.id, Folder: folder.id };
  const paper = (type: ContainerType): Promise<Document> =>
    uploadAs(
      hand,
      { id: places[type], containerType: type },
      `${mark} ${type} paper.pdf`,
      `${mark} words of a ${type}`,
    );
  return {
    id,
    key,
    places,
    papers: { Client: await paper('Client'), Project: await paper('Project'), Folder: await paper('Folder') },
  };
}

interface Deleted {
  client: string;
  project: Container;
  folder: Container;
  papers: PerType<Document>;
  mail: string;
}

/** Deleted things that the `own` contact had access to. */
async function makeDeleted(
  home: ClientOfWorld,
  companyId: string,
  own: Actor,
  staff: Actor,
): Promise<Deleted> {
  const gone = await client(companyId, 'CANARY-C1 closed shop', 'CANARY-C1-9', [own]);
  await unlink(gone, own);
  await db().deleteFrom('clients').where('client_id', '=', gone).execute();
  const project = await createProject(staff, { clientId: home.id, name: 'CANARY-C1 old accounts' });
  const folder = await createFolder(staff, {
    name: 'CANARY-C1 old letters',
    parentId: home.places.Project,
    parentType: 'Project',
  });
  await db().deleteFrom('containers').where('container_id', 'in', [project.id, folder.id]).execute();
  const paper = (type: ContainerType): Promise<Document> =>
    uploadAs(
      own,
      { id: home.places[type], containerType: type },
      `CANARY-GONE old ${type} paper.pdf`,
      'CANARY-GONE',
    );
  const papers = {
    Client: await paper('Client'),
    Project: await paper('Project'),
    Folder: await paper('Folder'),
  };
  await deleteDocuments(Object.values(papers));
  const mail = newId('mail');
  return { client: gone, project, folder, papers, mail };
}

async function deleteDocuments(papers: readonly Document[]): Promise<void> {
  await db()
    .updateTable('documents')
    .set({ deleted_at: now() })
    .where(
      'document_id',
      'in',
      papers.map(({ id }) => id),
    )
    .execute();
  await resolveInInbox(papers.map(({ id }) => id));
}

/** Links in every state, with the visits of the one browser that opened them. */
async function makeLinks(
  senders: Record<'own' | 'taken' | 'sibling' | 'other' | 'locked', Actor>,
  clients: World['clients'],
  gone: Deleted,
  mailServer: Awaited<ReturnType<typeof startMailServer>>,
) {
  const letters: ReceivedMail[] = [];
  const visits: string[] = [];
  const share = async (
    sender: Actor,
    papers: readonly Document[],
    mark: string,
    more: Partial<ShareRequest> = {},
  ): Promise<{ shareId: string; token: string }> => {
    const sharedItems = papers.map(({ id, parent }) => ({
      containerType: parent.containerType,
      containerId: parent.id,
      documentId: id,
    }));
    await mailServer.discard(); // that an earlier link was opened
    const { shareId } = await shareDocuments(
      sender,
      {
        expirationPeriod: 'AfterThreeDays',
        overrides: { subject: `${mark} papers`, body: `${mark} hello` },
        recipients: [{ emailAddress: `r${letters.length}@out.example` }],
        sharedItems,
        ...more,
      },
      'en-us',
    );
    const [letter] = await mailServer.deliver();
    if (!letter) throw new Error('the mail with the link did not arrive');
    letters.push(letter);
    return { shareId, token: /\/share\/([\w-]{43})\b/.exec(letter.mail.text ?? '')?.[1] ?? '' };
  };
  const open = async (token: string, code?: string): Promise<void> =>
    void visits.push(await openShare(token, code, `198.51.100.${visits.length}`));
  const change = (shareId: string, to: { expires_at: number } | { revoked_at: number }) =>
    db().updateTable('shares').set(to).where('share_id', '=', shareId).execute();

  const { own, sibling } = clients;
  const mine = [own.papers.Project, own.papers.Folder];
  const good = await share(senders.own, mine, 'CANARY-C1');
  const coded = await share(senders.own, mine, 'CANARY-C1', { authorizationCode: CODE });
  const expired = await share(senders.own, mine, 'CANARY-C1');
  const revoked = await share(senders.own, mine, 'CANARY-C1');
  const shortLived = await uploadAs(
    senders.own,
    { id: own.id, containerType: 'Client' },
    'CANARY-GONE soon.pdf',
    'CANARY-GONE',
  );
  const deleted = await share(senders.own, [own.papers.Folder, shortLived], 'CANARY-C1');
  const orphaned = await share(senders.taken, mine, 'CANARY-C1');
  const locked = await share(senders.locked, [clients['locked firm'].papers.Project], 'CANARY-C6');
  for (const { token } of [good, expired, revoked, deleted, orphaned, locked]) await open(token);
  await open(coded.token, CODE);
  const lapsed = await share(senders.own, mine, 'CANARY-C1');
  await at(now() - 13 * HOUR, () => open(lapsed.token));
  await change(expired.shareId, { expires_at: now() - MINUTE });
  await change(revoked.shareId, { revoked_at: now() });
  await deleteDocuments([shortLived]);
  gone.papers.Client = shortLived;
  const links: Record<LinkKey, string> = {
    good: good.token,
    'with a code': coded.token,
    expired: expired.token,
    revoked: revoked.token,
    'of a deleted document': deleted.token,
    'of a sender without the client': orphaned.token,
    'of a locked firm': locked.token,
    'opened too long ago': lapsed.token,
    'of another recipient': (await share(senders.own, mine, 'CANARY-C1')).token,
    'of the sibling': (await share(senders.sibling, [sibling.papers.Project], 'CANARY-C2')).token,
    'of the other firm': (await share(senders.other, [clients['other firm'].papers.Project], 'CANARY-C4'))
      .token,
  };
  return { links, visits, letters };
}

/** Shares to manage: who may see each, its sender and its recipients. Their links are not opened. */
async function makeSent(
  senders: Record<'own' | 'sibling' | 'other' | 'locked', Actor>,
  clients: World['clients'],
): Promise<Pick<World['things'], 'share' | 'sent share' | 'recipient'>> {
  const things: Record<'share' | 'sent share' | 'recipient', Record<string, Thing>> = {
    share: {},
    'sent share': {},
    recipient: {},
  };
  const kinds = [
    ['own', 'own', 'own', ['the own contact', 'staff', 'staff with assigned clients', 'read-only staff']],
    [
      'own, another',
      'own',
      'own',
      ['the own contact', 'staff', 'staff with assigned clients', 'read-only staff'],
    ],
    ['of the sibling', 'sibling', 'sibling', ['a sibling contact', 'staff', 'read-only staff']],
    ['of the other firm', 'other', 'other firm', ['a contact of the other firm', 'staff of the other firm']],
    ['of the locked firm', 'locked', 'locked firm', []],
  ] as const;
  for (const [label, sender, key, seenBy] of kinds) {
    const { id: documentId, parent } = clients[key].papers.Project;
    const sharedItems = [{ containerType: parent.containerType, containerId: parent.id, documentId }];
    const { shareId } = await shareDocuments(
      senders[sender],
      {
        expirationPeriod: 'AfterThreeDays',
        overrides: { subject: 'Papers' },
        recipients: [{ emailAddress: 'sent@out.example' }],
        sharedItems,
      },
      'en-us',
    );
    const { recipient_id: recipientId } = await db()
      .selectFrom('share_recipients')
      .select('recipient_id')
      .where('share_id', '=', shareId)
      .executeTakeFirstOrThrow();
    things.share[label] = { id: shareId, state: 'live', client: key, seenBy };
    things['sent share'][label] = { id: shareId, state: 'live', seenBy: seenBy.slice(0, 1) };
    things.recipient[label] = { id: recipientId, state: 'live', seenBy, parent: shareId };
  }
  return {
    share: { ...things.share, ...noIds('share') },
    'sent share': { ...things['sent share'], ...noIds('share') },
    recipient: { ...things.recipient, ...noIds('recipient') },
  };
}

/**
 * Companies, contacts and users as targets of ids. Staff see every contact of their firm, those with assigned
 * clients the contacts of these and other staff.
 */
function peopleThings(
  actors: Record<string, Actor>,
): Record<'company' | 'contact' | 'user', Record<string, Thing>> {
  const who = (has: (actor: Actor, person: Person) => boolean): Person[] =>
    (Object.keys(actors) as Person[]).filter(
      (person) => person !== 'a contact of a locked firm' && has(actors[person] as Actor, person),
    );
  const seesAsStaff = (person: Person, name: Person): boolean =>
    isStaff(person) &&
    (person !== 'staff with assigned clients' ||
      isStaff(name) ||
      actsFor(person).some((client) => actsFor(name).includes(client)));
  const named = [
    'the own contact',
    'a sibling contact',
    'staff',
    'a contact of the other firm',
    'staff of the other firm',
    'a contact of a locked firm',
    'a contact of both firms',
    'staff with assigned clients',
    'read-only staff',
  ] as const;
  const each = (
    id: (actor: Actor) => string,
    seen: (actor: Actor, thing: Actor, people: { person: Person; name: Person }) => boolean,
    prefix: string,
  ): Record<string, Thing> => ({
    ...Object.fromEntries(
      named.map((name): [string, Thing] => [
        `of ${name}`,
        {
          id: id(actors[name] as Actor),
          state: 'live',
          of: name,
          isOfStaff: isStaff(name),
          seenBy: who((actor, person) => seen(actor, actors[name] as Actor, { person, name })),
        },
      ]),
    ),
    ...noIds(prefix),
  });
  return {
    company: each(
      ({ companyId }) => companyId,
      (actor, { companyId }) => actor.companyId === companyId,
      'firm',
    ),
    contact: each(
      ({ contactId }) => contactId,
      (actor, thing, { person, name }) =>
        actor.contactId === thing.contactId ||
        (actor.companyId === thing.companyId && seesAsStaff(person, name)),
      'contact',
    ),
    user: each(
      ({ prismGuid }) => prismGuid,
      (actor, { prismGuid }) => actor.prismGuid === prismGuid,
      'user',
    ),
  };
}

async function thingsOf(
  clients: World['clients'],
  gone: Deleted,
  links: World['links'],
): Promise<
  Omit<
    World['things'],
    | 'firm'
    | 'company'
    | 'contact'
    | 'user'
    | 'invitation'
    | 'export'
    | 'upload'
    | 'share'
    | 'sent share'
    | 'recipient'
    | KindOfFeatures
  >
> {
  const { own, sibling } = clients;
  const otherFirm = clients['other firm'];
  const places = (type: ContainerType, deletedId: string, instead: ContainerType): Record<string, Thing> => ({
    own: live(own.places[type], 'own'),
    'of the sibling client': live(sibling.places[type], 'sibling'),
    'of a client of nobody': live(clients['staff only'].places[type], 'staff only'),
    'of the other firm': live(otherFirm.places[type], 'other firm'),
    'of the other firm, second client': live(
      clients['other firm, second'].places[type],
      'other firm, second',
    ),
    'of the locked firm': live(clients['locked firm'].places[type], 'locked firm'),
    deleted: { id: deletedId, state: 'deleted', client: 'own' },
    'of another kind': { ...live(own.places[instead], 'own'), otherKind: true },
    ...noIds(type.toLowerCase()),
  });
  const paper = (
    { id, parent }: Document,
    clientKey: ClientKey,
    inLinks: readonly LinkKey[] = [],
  ): Thing => ({ id, state: 'live', client: clientKey, parent: parent.id, links: inLinks });
  const MINE: readonly LinkKey[] = [
    'good',
    'with a code',
    'expired',
    'revoked',
    'of a sender without the client',
    'opened too long ago',
    'of another recipient',
  ];
  const papers = (type: ContainerType, other: ContainerType): Record<string, Thing> => ({
    own: paper(own.papers[type], 'own', type === 'Client' ? [] : MINE),
    'own, elsewhere': paper(own.papers[other], 'own', other === 'Client' ? [] : MINE),
    'of the sibling client': paper(
      sibling.papers[type],
      'sibling',
      type === 'Project' ? ['of the sibling'] : [],
    ),
    'of a client of nobody': paper(clients['staff only'].papers[type], 'staff only'),
    'of the other firm': paper(
      otherFirm.papers[type],
      'other firm',
      type === 'Project' ? ['of the other firm'] : [],
    ),
    'of the locked firm': paper(
      clients['locked firm'].papers[type],
      'locked firm',
      type === 'Project' ? ['of a locked firm'] : [],
    ),
    deleted: { ...paper(gone.papers[type], 'own', ['of a deleted document']), state: 'deleted' },
    ...noIds('doc'),
  });
  const [mail] = await db().selectFrom('mailbox').select('mail_id').limit(1).execute();
  return {
    client: places('Client', gone.client, 'Project'),
    project: places('Project', gone.project.id, 'Folder'),
    folder: places('Folder', gone.folder.id, 'Project'),
    'any container': places('Project', gone.project.id, 'Folder'),
    'document in client': papers('Client', 'Project'),
    'document in project': papers('Project', 'Folder'),
    'document in folder': papers('Folder', 'Client'),
    'any document': papers('Project', 'Client'),
    'linked document': papers('Project', 'Client'),
    link: {
      ...Object.fromEntries(
        Object.entries(links).map(([link, token]): [string, Thing] => [
          link,
          { id: token, state: 'live', link: link as LinkKey },
        ]),
      ),
      unknown: { id: newToken(), state: 'unknown' },
      'malformed, short': { id: 'short', state: 'malformed' },
      'malformed, a path': { id: '../../CANARY', state: 'malformed' },
    },
    mail: {
      own: { id: mail?.mail_id ?? '', state: 'live' },
      deleted: { id: gone.mail, state: 'deleted' },
      ...noIds('mail'),
    },
  };
}
