import type { Actor } from '#features/base/people/people.ts';
import {
  chooseClient,
  createArticle,
  publishArticle,
  saveSettings,
  withdrawArticle,
} from '#features/content/news/writing.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import {
  type Answered,
  isSeen,
  nowhere,
  signIn,
  toSignedIn,
  toWriters,
  toWritersWithId,
} from '../../authz/page-policy.ts';
import { actsFor, isReader, isSignedIn, isStaff, type Person, type Thing } from '../../authz/policy.ts';
import { type ClientOfWorld, live, noIds, notDeleted, type WorldSoFar } from '../../authz/things.ts';

declare module '../../authz/things.ts' {
  interface Kinds {
    article: true;
  }
}

/** News for people of clients; staff are redirected to those that they write. */
const toReaders = (person: Person): Answered =>
  isStaff(person) ? { status: 303, to: isReader(person) ? 'staff' : 'staff/news' } : toSignedIn(person);

/** A withdrawn article is still there for those who write. */
const isWritten = (person: Person, thing: Thing): boolean =>
  ['live', 'deleted'].includes(thing.state) &&
  thing.client !== undefined &&
  actsFor(person).includes(thing.client);

export const access: FeatureAccess = {
  rules: {
    // Only people of clients are readers, who have seen something.
    'get /api/br-news/v1/articles/shared': { who: 'signed in', ownContact: 'contactId' },
    'get /api/br-news/v1/articles/shared/{id}': { who: 'signed in', sees: ['id'] },
    'post /api/br-news/v1/articles/{id}/mark-as-seen': {
      who: 'contacts',
      sees: ['id'],
      changes: ['article_reads'],
      succeeds: 204,
    },
  },
  requests: {
    'get /api/br-news/v1/articles/shared': [
      {
        ids: { contactId: 'contact' },
        send: ({ contactId = '' }) => ({ query: { contactId } }),
        named: ['startIndex', 'itemsPerPage'],
      },
    ],
    'get /api/br-news/v1/articles/shared/{id}': [{ ids: { id: 'article' } }],
    'post /api/br-news/v1/articles/{id}/mark-as-seen': [{ ids: { id: 'article' } }],
  },
  pages: {
    // those who write news read it there
    '/[base]/[lang]/home/news': toReaders,
    '/[base]/[lang]/home/news/[newsId]': (person) =>
      isStaff(person) ? toReaders(person) : isSignedIn(person) ? nowhere : signIn,
    '/[base]/[lang]/staff/news': toWriters,
    '/[base]/[lang]/staff/news/new': toWriters,
    '/[base]/[lang]/staff/news/[newsId]': toWritersWithId,
    '/[base]/[lang]/staff/news/[newsId]/edit': toWritersWithId,
  },
  inMissingSections: ['/[base]/[lang]/home/news', '/[base]/[lang]/home/news/[newsId]'],
  placeholders: { newsId: 'article_0' },
  ids: {
    'home/news/': {
      things: (things) => things.article,
      // staff read what they write
      opens: (person, thing) => (isStaff(person) ? 303 : isSeen(person, thing) ? 200 : 404),
    },
    'staff/news/': {
      // staff see withdrawn articles, too, which they can publish again
      things: (things) => notDeleted(things.article),
      // staff with assigned clients write for these, and others for all
      opens: (person, thing) =>
        !isStaff(person) || isReader(person) ? 303 : isWritten(person, thing) ? 200 : 404,
    },
  },
  things: {
    kinds: { article: 'article' },
    make: async ({ staff, otherStaff, clients }) => ({ article: await makeNews(staff, otherStaff, clients) }),
  },
  fuzz: {
    prepare: async ({ sam }) => {
      const id = await createArticle(sam, { lang: 'en-us', title: 'News', summary: '', body: 'Text' });
      await publishArticle(sam, id, 1, { publishAt: undefined, notifies: false });
      return {
        only: {
          'GET /api/br-news/v1/articles/shared/{id}': [id],
          'POST /api/br-news/v1/articles/{id}/mark-as-seen': [id],
        },
      };
    },
  },
};

/** An article for each client, and one that was withdrawn. */
async function makeNews(
  staff: Actor,
  otherStaff: Actor,
  clients: WorldSoFar['clients'],
): Promise<Record<string, Thing>> {
  const publish = async (writer: Actor, { id: clientId, papers }: ClientOfWorld): Promise<string> => {
    const title = `News for ${papers.Folder.name}`;
    const id = await createArticle(writer, { lang: 'en-us', title, summary: title, body: title });
    await saveSettings(writer, id, 1, { audience: 'clients', values: [], expireAt: null, isPinned: false });
    await chooseClient(writer, id, clientId, true);
    await publishArticle(writer, id, 3, { publishAt: undefined, notifies: false });
    return id;
  };
  const withdrawn = await publish(staff, clients.own);
  await withdrawArticle(staff, withdrawn);
  return {
    own: live(await publish(staff, clients.own), 'own'),
    sibling: live(await publish(staff, clients.sibling), 'sibling'),
    'staff only': live(await publish(staff, clients['staff only']), 'staff only'),
    'other firm': live(await publish(otherStaff, clients['other firm']), 'other firm'),
    withdrawn: { id: withdrawn, state: 'deleted', client: 'own' },
    ...noIds('article'),
  };
}
