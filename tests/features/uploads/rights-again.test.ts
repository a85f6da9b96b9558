import sharp from 'sharp';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { addScan } from '#features/documents/scanner/scanner.server.ts';
import { startUpload, takePart } from '#features/documents/uploads/parts.server.ts';
import { openExport, startExport } from '#features/documents/downloads/exports.server.ts';
import { actorNow, actorOf, createContact, decideAccess } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { renewSession } from '#features/identity/sessions/devices.server.ts';
import {
  endSession,
  findSession,
  startSession,
  sweepSessions,
  switchAccount,
} from '#features/identity/sessions/sessions.server.ts';
import { findTokenSession, issueApiToken } from '#features/identity/sessions/tokens.server.ts';
import { publishTerms } from '#features/identity/sessions/terms.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { at, HOUR, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import type * as Limits from '#platform/security/limits.server.ts';
import type * as Passwords from '#platform/security/passwords.server.ts';
import { sessionAs } from '../../support/api.ts';
import {
  blobFiles,
  BROWSER,
  bytesAfter,
  fileOf,
  uploadAs,
  lockFirm,
  makeCast,
  pdf,
  unlink,
} from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';

/** What happens during a call that reads no stream: while a code is hashed, and while a limit is checked. */
const hook = vi.hoisted(() => ({ happens: () => Promise.resolve() }));
vi.mock('#platform/security/passwords.server.ts', async (original) => {
  const real = await original<typeof Passwords>();
  const hashSecret: typeof real.hashSecret = async (secret) => {
    await hook.happens();
    return real.hashSecret(secret);
  };
  return { ...real, hashSecret };
});
vi.mock('#platform/security/limits.server.ts', async (original) => {
  const real = await original<typeof Limits>();
  const consume: typeof real.consume = async (...asked) => {
    await hook.happens();
    return real.consume(...asked);
  };
  return { ...real, consume };
});

const { firmOne, firmTwo, ada, sam, clientA, projectA } = await makeCast();
const second = await actorOf(
  await createContact({ companyId: firmTwo, prismGuid: ada.prismGuid, fullName: 'Ada of two' }),
);
for (const name of ['ViewAs', 'ManageFirm']) {
  await decideAccess(firmOne, sam.contactId, { kind: 'permission', name }, true);
}
const document = await uploadAs(sam, projectA, 'letter.pdf', 'a letter');
const place = { containerType: 'Project' as const, containerId: projectA.id };
const photo = await sharp({ create: { width: 20, height: 20, channels: 3, background: '#fff' } })
  .jpeg()
  .toBuffer();

async function signIn(actor: Actor): Promise<Session> {
  const session = await findSession(await startSession(actor, BROWSER));
  if (!session) throw new Error('nobody is signed in');
  return session;
}

type Event = (session: Session) => Promise<unknown>;
/** How a right is removed during a call, the error code of the refusal, and how the right is restored. */
const EVENTS: Record<string, { happens: Event; code: string; undo?: () => Promise<unknown> }> = {
  'access is refused': {
    happens: () => decideAccess(firmOne, ada.contactId, { kind: 'permission', name: 'DefaultClient' }, false),
    code: 'FORBIDDEN',
    undo: () =>
      decideAccess(firmOne, ada.contactId, { kind: 'permission', name: 'DefaultClient' }, undefined),
  },
  'they sign out': { happens: ({ id }) => endSession(id), code: 'UNAUTHENTICATED' },
  'new terms are due': {
    happens: async () => publishTerms(await actorOf(sam.contactId), { 'en-us': 'New terms' }),
    code: 'TERMS_REQUIRED',
    undo: async () => db().deleteFrom('terms').execute(),
  },
  'they lose the client': {
    happens: () => unlink(clientA, ada),
    code: 'NOT_FOUND',
    undo: () =>
      db().insertInto('client_contacts').values({ client_id: clientA, contact_id: ada.contactId }).execute(),
  },
  'the firm is locked': {
    happens: () => lockFirm(firmOne, true),
    code: 'FIRM_LOCKED_OUT',
    undo: () => lockFirm(firmOne, false),
  },
};

type Verb = (session: Session, happens: () => Promise<unknown>) => Promise<unknown>;
const inTheMiddle = (happens: () => Promise<unknown>): void => {
  hook.happens = async () => {
    hook.happens = () => Promise.resolve();
    await happens();
  };
};
const VERBS: Record<string, Verb> = {
  'an upload': ({ actor }, happens) =>
    addDocument(actor, {
      ...place,
      name: 'new.pdf',
      bytes: bytesAfter(happens, () => fileOf(pdf('x'))),
      onConflict: 'rename',
    }),
  'a part of an upload': async ({ actor }, happens) => {
    const metadata = { ...place, filename: 'parts.pdf', onConflict: 'rename' as const };
    const { uploadId } = await startUpload(actor, 1000, metadata);
    return takePart(actor, uploadId, { offset: 0, bytes: bytesAfter(happens, () => fileOf(pdf('y'))) });
  },
  'a scan': ({ actor }, happens) =>
    addScan(actor, place, 'en-us', (takePhoto) =>
      takePhoto(
        'photo.jpg',
        bytesAfter(happens, () => fileOf(photo)),
      ),
    ),
  'a share': ({ actor }, happens) => {
    inTheMiddle(happens);
    const items = [{ containerType: 'Project' as const, containerId: projectA.id, documentId: document.id }];
    const recipients = [{ emailAddress: 'x@out.example' }];
    const request = {
      sharedItems: items,
      recipients,
      overrides: { subject: 'S' },
      expirationPeriod: 'AfterOneDay' as const,
    };
    return shareDocuments(actor, { ...request, authorizationCode: 'maple-7-secret' }, 'en-us');
  },
  'an archive': ({ actor }, happens) => {
    inTheMiddle(happens);
    return startExport(actor, [document.id]);
  },
};

const countsOf = async () => {
  const rows = await Promise.all(
    (['documents', 'blobs', 'upload_parts', 'shares', 'exports', 'receipts'] as const).map(async (table) => {
      return (await db().selectFrom(table).selectAll().execute()).length;
    }),
  );
  return { rows, blobs: (await blobFiles()).length };
};

afterEach(() => {
  hook.happens = () => Promise.resolve();
});

describe.each(Object.entries(VERBS))('%s', (name, verb) => {
  test.each(Object.entries(EVENTS))(
    `${name} is refused without effect when, in its middle, %s`,
    async (_, { happens, code, undo }) => {
      const session = await signIn(ada);
      const before = await countsOf();
      await expect(verb(session, () => happens(session))).rejects.toMatchObject({ code });
      expect(await countsOf()).toEqual(before);
      await undo?.();
    },
  );

  test(`${name} succeeds when no right was removed`, async () => {
    await verb(await signIn(ada), () => Promise.resolve());
  });

  test(`${name} succeeds when only the session expired in its middle`, async () => {
    const session = await signIn(ada);
    await verb(session, async () => {
      await db()
        .insertInto('ended_sessions')
        .values({ session_hash: session.id, contact_id: ada.contactId, ended_at: now() })
        .execute();
      await endSession(session.id);
    });
  });
});

describe('after a step-up in another tab', () => {
  test.each(Object.entries(VERBS))('%s that was under way goes on', async (_, verb) => {
    const session = await signIn(ada);
    await verb(session, async () => stepUp(await stepUp(session)));
  });

  test.each(Object.entries(VERBS))(
    '%s is refused without effect when they sign out then',
    async (_, verb) => {
      const session = await signIn(ada);
      const before = await countsOf();
      const signOut = async () => endSession((await stepUp(await stepUp(session))).id);
      await expect(verb(session, signOut)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
      expect(await countsOf()).toEqual(before);
    },
  );

  test('an upload goes on when the session then expires', async () => {
    const session = await signIn(ada);
    await VERBS['an upload']?.(session, async () => {
      await stepUp(session);
      await at(now() + 13 * HOUR, sweepSessions);
    });
  });

  test('the cookie of before opens nothing', async () => {
    const cookie = await startSession(ada, BROWSER);
    const session = await findSession(cookie);
    if (!session) throw new Error('nobody is signed in');
    const renewed = await stepUp(session);
    expect(await findSession(cookie)).toBeUndefined();
    expect(renewed.id).not.toBe(session.id);
  });
});

describe('after a switch of accounts in another tab', () => {
  const switchedFrom = async (session: Session): Promise<Session> => {
    const { token } = await switchAccount(session, second.contactId, BROWSER.device);
    const switched = await findSession(token);
    if (!switched) throw new Error('the sign-in did not go on');
    return switched;
  };

  test.each(Object.entries(VERBS))('%s that was under way goes on', async (_, verb) => {
    const session = await signIn(ada);
    await verb(session, async () => switchedFrom(await stepUp(session)));
  });

  test.each(Object.entries(VERBS))(
    '%s is refused without effect when they sign out then',
    async (_, verb) => {
      const session = await signIn(ada);
      const before = await countsOf();
      const signOut = async () => endSession((await switchedFrom(session)).id);
      await expect(verb(session, signOut)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
      expect(await countsOf()).toEqual(before);
    },
  );

  test('the cookie of before opens nothing', async () => {
    const cookie = await startSession(ada, BROWSER);
    const session = await findSession(cookie);
    if (!session) throw new Error('nobody is signed in');
    await switchedFrom(session);
    expect(await findSession(cookie)).toBeUndefined();
  });
});

/** Confirms the password again, as in another tab. Returns the session as it goes on. */
async function stepUp(session: Session): Promise<Session> {
  const renewed = await findSession((await renewSession(session, ['pwd'])).token);
  if (!renewed) throw new Error('the session did not go on');
  return renewed;
}

test('an archive is not delivered to somebody whose access was removed meanwhile', async () => {
  const session = await signIn(ada);
  const exportId = await startExport(session.actor, [document.id]);
  await runDueJobs();
  const before = await countsOf();
  inTheMiddle(() => EVENTS['they sign out']?.happens(session) ?? Promise.resolve());
  await expect(openExport(session, exportId, true)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(await countsOf()).toEqual(before);
});

describe('permissions checked again', () => {
  test('the rights of an API token end with the token', async () => {
    const session = await signIn(ada);
    const { token } = await issueApiToken(session);
    const program = (await findTokenSession(token)) ?? sessionAs(ada);
    expect((await actorNow(program.actor)).contactId).toBe(ada.contactId);
    await db().deleteFrom('long_tokens').execute();
    await expect(actorNow(program.actor)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('the rights of staff viewing as a contact end with the view and with the right to it', async () => {
    const viewing = { staff: sam, reason: 'help', until: now() + HOUR };
    const session = (await findSession(await startSession(ada, { ...BROWSER, viewing }))) ?? sessionAs(ada);
    expect((await actorNow(session.actor)).viewedBy).toBe(sam.contactId);
    await expect(at(now() + 2 * HOUR, () => actorNow(session.actor))).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    await decideAccess(firmOne, sam.contactId, { kind: 'permission', name: 'ViewAs' }, false);
    await expect(actorNow(session.actor)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});
