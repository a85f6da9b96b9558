import { afterAll, describe, expect, test } from 'vitest';
import { setFlag } from '#features/base/access/access.server.ts';
import { assignClient } from '#features/base/people/rights.server.ts';
import { listOwnArticles, readersOf, writtenArticle } from '#features/content/news/articles.server.ts';
import { newsWidget } from '#features/content/news/home-widget.server.ts';
import { freshArticles, listArticles, openArticle } from '#features/content/news/reading.server.ts';
import {
  chooseClient,
  createArticle,
  deleteArticle,
  followMergedClient,
  publishArticle,
  removeText,
  saveSettings,
  saveText,
  withdrawArticle,
  type Settings,
} from '#features/content/news/writing.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { saveNotifications } from '#features/clients/mails/notifications.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { at, DAY, HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { namesOf } from '#platform/runtime/names.server.ts';
import { apiAs, impersonating, sessionAs } from '../../support/api.ts';
import { client, makeCast, person, startMailServer } from '../../support/cast.ts';
import { localsOf, rowsOf } from '../../support/home.ts';
import { runDueJobs } from '../../support/jobs.ts';
import '../../../src/app.server.ts';
import { AT_ONCE } from '../../support/mail-choices.ts';

const { ada, ben, cleo, sam, zoe, tom, clientA, clientB, firmOne } = await makeCast();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
const ari = await person(firmOne, 'Ari Assigned', 'ari@one.example', {
  role: 'member',
  hasAllClients: false,
});
await assignClient(clientA, ari.contactId);
const rita = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => refusal(error)?.code,
  );

let counter = 0;
const ALWAYS = { expireAt: null, isPinned: false } as const;
interface Written extends Partial<Settings> {
  by?: Actor;
  publishAt?: number;
  notifies?: boolean;
  clients?: readonly string[];
}

/** An article in English, published for all clients now, unless it says otherwise. */
async function published({
  by = sam,
  publishAt,
  notifies = false,
  clients = [],
  ...settings
}: Written = {}): Promise<string> {
  const title = `Article ${(counter += 1)}`;
  const id = await createArticle(by, { lang: 'en-us', title, summary: '', body: '**Text**' });
  await saveSettings(by, id, 1, {
    audience: clients.length > 0 ? 'clients' : 'all',
    values: [],
    ...ALWAYS,
    ...settings,
  });
  for (const clientId of clients) await chooseClient(by, id, clientId, true);
  await publishArticle(by, id, 2 + clients.length, { publishAt, notifies });
  return id;
}

const shownTo = async (actor: Actor): Promise<string[]> =>
  (await listArticles(actor, 'en-us', { start: 0, limit: 100 })).items.map(({ id }) => id);
const versionOf = async (id: string): Promise<number> => (await writtenArticle(sam, id)).version;

describe('whom an article is for', () => {
  test('an article for all clients is for everybody who acts for a client of the firm, and for no one else', async () => {
    const id = await published();
    for (const reader of [ada, ben, cleo]) expect(await shownTo(reader)).toContain(id);
    expect(await shownTo(zoe)).not.toContain(id);
    const without = await person(firmOne, 'Nora None', 'nora@one.example');
    expect(await shownTo(without)).toEqual([]);
    expect(await codeOf(openArticle(zoe, id, 'en-us'))).toBe('NOT_FOUND');
  });

  test('an article for chosen clients, a kind or a tag is for their people only', async () => {
    await db().updateTable('clients').set({ kind: 'individual' }).where('client_id', '=', clientB).execute();
    await db()
      .insertInto('client_tags')
      .values({ client_id: clientB, tag: 'Retail', tag_key: 'retail', company_id: firmOne })
      .execute();
    const ids = {
      chosen: await published({ clients: [clientB] }),
      kind: await published({ audience: 'kinds', values: ['individual'] }),
      tag: await published({ audience: 'tags', values: ['Retail'] }),
    };
    for (const id of Object.values(ids)) {
      for (const reader of [ben, cleo]) expect(await shownTo(reader)).toContain(id);
      expect(await shownTo(ada)).not.toContain(id);
      expect(await codeOf(openArticle(ada, id, 'en-us'))).toBe('NOT_FOUND');
      const { reach } = await readersOf(sam, await writtenArticle(sam, id));
      expect(reach).toEqual({ clients: 1, people: 2 });
    }
  });

  test('an article for a client that was merged is for the one it was merged into', async () => {
    const id = await published({ clients: [clientB] });
    await followMergedClient({ from: clientB, into: clientA });
    expect(await shownTo(ada)).toContain(id);
    expect(await shownTo(ben)).not.toContain(id);
  });

  test('staff with assigned clients write for these only, and find no other articles', async () => {
    const forAll = await published();
    const own = await published({ by: ari, audience: 'clients', clients: [clientA] });
    const { articles } = await listOwnArticles(ari, 'en-us', { show: '', from: 0 });
    expect(articles.map(({ id }) => id)).toContain(own);
    expect(articles.map(({ id }) => id)).not.toContain(forAll);
    expect(await codeOf(withdrawArticle(ari, forAll))).toBe('NOT_FOUND');
    expect(await codeOf(chooseClient(ari, own, clientB, true))).toBe('NOT_FOUND');
    const settings = { audience: 'all', values: [], ...ALWAYS } as const;
    expect(await codeOf(saveSettings(ari, own, await versionOf(own), settings))).toBe('FORBIDDEN');
  });

  test('contacts, read-only staff and staff of another firm cannot write', async () => {
    const id = await published();
    const text = { lang: 'en-us', title: 'T', summary: '', body: 'B' } as const;
    for (const actor of [ada, rita]) {
      expect(await codeOf(createArticle(actor, text))).toBe('FORBIDDEN');
      expect(await codeOf(saveText(actor, id, 3, text))).toBe('FORBIDDEN');
    }
    expect(await codeOf(saveText(tom, id, 3, text))).toBe('NOT_FOUND');
    expect(await codeOf(deleteArticle(tom, id))).toBe('NOT_FOUND');
    expect(await codeOf(writtenArticle(tom, id))).toBe('NOT_FOUND');
  });
});

describe('when an article is shown', () => {
  test('a draft and a withdrawn article are shown to no one, and a withdrawn one can be published again', async () => {
    const id = await published();
    await withdrawArticle(sam, id);
    expect(await shownTo(ada)).not.toContain(id);
    expect(await codeOf(withdrawArticle(sam, id))).toBe('NOT_POSSIBLE');
    await publishArticle(sam, id, await versionOf(id), { publishAt: undefined, notifies: false });
    expect(await shownTo(ada)).toContain(id);
  });

  test('a scheduled article is shown from its time until its last day ends', async () => {
    const start = now() + DAY;
    const id = await published({ publishAt: start, expireAt: start + DAY });
    const isShown = async (time: number) => (await at(time, () => shownTo(ada))).includes(id);
    const statusAt = (time: number) => at(time, async () => (await writtenArticle(sam, id)).status);
    expect([await isShown(start - 1), await statusAt(start - 1)]).toEqual([false, 'planned']);
    expect([await isShown(start), await statusAt(start)]).toEqual([true, 'published']);
    expect([await isShown(start + DAY - 1), await isShown(start + DAY)]).toEqual([true, false]);
    expect(await statusAt(start + DAY)).toBe('expired');
    const listed = async (show: 'planned' | 'published' | 'expired', time: number) =>
      (await at(time, () => listOwnArticles(sam, 'en-us', { show, from: 0 }))).articles.some(
        (article) => article.id === id,
      );
    expect(await listed('planned', start - 1)).toBe(true);
    expect(await listed('published', start)).toBe(true);
    expect(await listed('expired', start + DAY)).toBe(true);
    expect(await listed('published', start - 1)).toBe(false);
  });

  test('an article that would be over, or is for no client, is not published', async () => {
    const id = await createArticle(sam, { lang: 'en-us', title: 'T', summary: '', body: 'B' });
    await saveSettings(sam, id, 1, { audience: 'all', values: [], expireAt: now() + HOUR, isPinned: false });
    const later = { publishAt: now() + DAY, notifies: false };
    expect(await codeOf(publishArticle(sam, id, 2, later))).toBe('EXPIRED');
    await saveSettings(sam, id, 2, { audience: 'clients', values: [], ...ALWAYS });
    expect(await codeOf(publishArticle(sam, id, 3, later))).toBe('EMPTY');
  });

  test('pinned articles come first, then the newest', async () => {
    const [older, newer] = [await at(now() - HOUR, () => published()), await published()];
    const pinned = await at(now() - DAY, () => published({ isPinned: true }));
    const order = (await shownTo(ada)).filter((id) => [older, newer, pinned].includes(id));
    expect(order).toEqual([pinned, newer, older]);
    await withdrawArticle(sam, pinned);
  });

  test('an article that is shown cannot be deleted; one that is not takes its readers with it', async () => {
    const id = await published();
    await openArticle(ada, id, 'en-us');
    expect(await codeOf(deleteArticle(sam, id))).toBe('NOT_POSSIBLE');
    await withdrawArticle(sam, id);
    await deleteArticle(sam, id);
    expect(await db().selectFrom('article_reads').selectAll().where('article_id', '=', id).execute()).toEqual(
      [],
    );
    expect(await codeOf(writtenArticle(sam, id))).toBe('NOT_FOUND');
  });
});

describe('what somebody else wrote', () => {
  test('a change that is based on an older version is refused, and changes nothing', async () => {
    const id = await published();
    const version = await versionOf(id);
    const text = { lang: 'en-us', title: 'First', summary: '', body: 'B' } as const;
    await saveText(sam, id, version, text);
    expect(await codeOf(saveText(sam, id, version, { ...text, title: 'Second' }))).toBe('EDIT_CONFLICT');
    expect((await writtenArticle(sam, id)).texts[0]?.title).toBe('First');
    const settings = { audience: 'all', values: [], ...ALWAYS } as const;
    expect(await codeOf(saveSettings(sam, id, version, settings))).toBe('EDIT_CONFLICT');
    const now_ = { publishAt: undefined, notifies: false };
    expect(await codeOf(publishArticle(sam, id, version, now_))).toBe('EDIT_CONFLICT');
  });

  test('readers get their language, another variety of it, or the one the article was begun in', async () => {
    const id = await published();
    const in_ = async (lang: 'en-gb' | 'pt' | 'fr') => (await openArticle(ada, id, lang)).language;
    expect([await in_('en-gb'), await in_('pt')]).toEqual(['en-US', 'en-US']);
    await saveText(sam, id, await versionOf(id), {
      lang: 'pt',
      title: 'Novidade',
      summary: '',
      body: 'Texto',
    });
    expect([await in_('pt'), await in_('fr')]).toEqual(['pt-BR', 'en-US']);
    expect(await codeOf(removeText(sam, id, 'en-us'))).toBe('NOT_POSSIBLE');
    await removeText(sam, id, 'pt');
    expect(await in_('pt')).toBe('en-US');
  });

  test('the audit log names articles by their titles', async () => {
    const id = await published();
    expect((await namesOf([id], { lang: 'en-us', contactId: undefined })).get(id)).toBe(`Article ${counter}`);
    const rows = await db().selectFrom('audit').select('action').where('target', '=', id).execute();
    expect(rows.map(({ action }) => action)).toEqual(['news.create', 'news.change', 'news.publish']);
  });
});

describe('who has seen an article', () => {
  test('opening an article marks it as seen once, but not for staff, or for those who view as its reader', async () => {
    const id = await at(now() - DAY, () => published());
    const seen = async () =>
      (await readersOf(sam, await writtenArticle(sam, id))).readers.map(({ name }) => name);
    await openArticle({ ...ada, viewedBy: sam.contactId }, id, 'en-us');
    await openArticle(sam, id, 'en-us');
    expect(await seen()).toEqual([]);
    const first = await at(now() - HOUR, () => openArticle(ada, id, 'en-us'));
    expect([first.seen, (await openArticle(ada, id, 'en-us')).seen]).toEqual([false, true]);
    expect(await seen()).toEqual(['Ada Amber']);
  });

  test('home shows up to three articles that are not seen, then the newest one', async () => {
    const solo = await person(firmOne, 'Solo Reader', 'solo@one.example');
    const soloClient = await client(firmOne, 'Solo Shop', 'S-9', [solo]);
    const before = await freshArticles(solo, 'en-us', 100);
    for (const { id } of before) await openArticle(solo, id, 'en-us');
    const own: string[] = [];
    for (let i = 0; i < 4; i += 1)
      own.push(await at(now() + i * MINUTE, () => published({ clients: [soloClient] })));
    await at(now() + HOUR, async () => {
      expect((await rowsOf(solo, 'news'))?.length).toBe(3);
      for (const id of own) await openArticle(solo, id, 'en-us');
      const newest = await freshArticles(solo, 'en-us', 3);
      expect(newest.map(({ id, seen }) => [id, seen])).toEqual([[own.at(-1), true]]);
    });
  });

  test('home has no part for news where the firm publishes none, or has no home page', async () => {
    expect(await rowsOf(zoe, 'news')).toBeUndefined();
    expect(newsWidget.page).toBe('home/news');
    expect(localsOf(ada).mayOpen('home/news')).toBe(true);
  });
});

describe('the calls', () => {
  const list = (actor: Actor, query: string) =>
    apiAs(actor)('GET', `/api/br-news/v1/articles/shared${query}`);

  test('the list has the pages that were asked for, and says what is missing', async () => {
    const id = await published();
    const answer = await list(ada, `?contactId=${ada.contactId}&startIndex=0&itemsPerPage=2`);
    const page = (await answer.json()) as { items: { id: string; seen: boolean }[]; totalItems: number };
    expect(answer.status).toBe(200);
    expect(page.items).toHaveLength(2);
    expect(page.items[0]).toMatchObject({ id, seen: false });
    expect(page.totalItems).toBeGreaterThan(2);
    const missing = await list(ada, '');
    expect(missing.status).toBe(422);
    expect(await missing.text()).toContain('Contact id can not be undefined');
    expect((await list(ada, `?contactId=${ben.contactId}`)).status).toBe(403);
    expect((await list(ada, `?contactId=${ada.contactId}&itemsPerPage=0`)).status).toBe(422);
  });

  test('an article is read as Markdown and as HTML, and reading it does not mark it', async () => {
    const id = await published();
    const answer = await apiAs(ada)('GET', `/api/br-news/v1/articles/shared/${id}`);
    expect(await answer.json()).toMatchObject({
      id,
      body: '**Text**',
      html: '<p><strong>Text</strong></p>',
      seen: false,
    });
    expect((await apiAs(zoe)('GET', `/api/br-news/v1/articles/shared/${id}`)).status).toBe(404);
  });

  test('an article is marked as seen once and again, but not by those who may not see it', async () => {
    const id = await published();
    const mark = (actor: Actor, session = sessionAs(actor)) =>
      apiAs(actor, session)('POST', `/api/br-news/v1/articles/${id}/mark-as-seen`);
    expect((await mark(zoe)).status).toBe(404);
    expect((await mark(sam)).status).toBe(403);
    expect((await mark(ada, impersonating(ada, sam))).status).toBe(403);
    expect((await openArticle({ ...ada, viewedBy: sam.contactId }, id, 'en-us')).seen).toBe(false);
    expect([(await mark(ada)).status, (await mark(ada)).status]).toEqual([204, 204]);
    expect((await openArticle(ada, id, 'en-us')).seen).toBe(true);
  });

  test('people without a home page have no news', async () => {
    const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
    await setFlag(olga, 'homePage', false);
    const reader = await actorOf(ada.contactId);
    expect((await list(reader, `?contactId=${ada.contactId}`)).status).toBe(403);
    await setFlag(olga, 'homePage', true);
  });
});

describe('the emails about an article', () => {
  const mailsAfter = async (time: number) => {
    await at(time, runDueJobs); // the job of the article queues its emails
    const mails = await at(time, () => mailServer.deliver());
    return mails
      .flatMap(({ recipients, mail }) => recipients.map((to) => `${to}: ${mail.subject}`))
      .toSorted();
  };

  test('its readers are notified ten minutes after it is published, in their language, once', async () => {
    await mailServer.deliver();
    const camille = await person(firmOne, 'Camille Roy', 'camille@one.example', { language: 'fr-CA' });
    const shop = await client(firmOne, 'Camille Shop', 'C-9', [camille, ada]);
    const id = await published({ clients: [shop], notifies: true });
    await saveText(sam, id, await versionOf(id), {
      lang: 'fr',
      title: 'Nouvelle',
      summary: '',
      body: 'Texte',
    });
    expect(await mailsAfter(now() + 9 * MINUTE)).toEqual([]);
    expect(await mailsAfter(now() + 11 * MINUTE)).toEqual([
      `ada@one.example: Article ${counter}`,
      'camille@one.example: Nouvelle',
    ]);
    await withdrawArticle(sam, id);
    await publishArticle(sam, id, await versionOf(id), { publishAt: undefined, notifies: true });
    expect(await mailsAfter(now() + HOUR)).toEqual([]);
  });

  test('nobody is notified of an article that was withdrawn, that they have seen, or of emails turned off', async () => {
    const shop = await client(firmOne, 'Quiet Shop', 'Q-9', [ada, ben]);
    const withdrawn = await published({ clients: [shop], notifies: true });
    await withdrawArticle(sam, withdrawn);
    const seen = await published({ clients: [shop], notifies: true });
    await openArticle(ada, seen, 'en-us');
    await saveNotifications(sessionAs(ben), {
      kinds: [],
      isQuiet: false,
      ...AT_ONCE,
      from: 22,
      until: 7,
      timeZone: 'UTC',
    });
    const other = await published({ clients: [shop], notifies: true });
    expect(await mailsAfter(now() + HOUR)).toEqual([`ada@one.example: Article ${counter}`]);
    await withdrawArticle(sam, other);
  });
});
