import '../../../src/app.server.ts';
import { expect, test } from 'vitest';
import { freshArticles, listArticles } from '#features/content/news/reading.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { contactsWithManyClients } from '../../support/contacts-with-many-clients.ts';
import { stepsOf } from '../../support/statements.ts';

/*
 * What the engine reads for the news of a contact with a hundred clients and with thousands, where the firm has published
 * 200 articles for each audience. Steps of its machine are counted, not time.
 */

const { few, most } = await contactsWithManyClients();
const ARTICLES = 200;

/** Articles without texts, which lists leave out: they are to be looked for, not decrypted. */
async function store(
  audience: 'all' | 'kinds' | 'tags' | 'clients',
  value: (i: number) => string,
): Promise<void> {
  for (let i = 0; i < ARTICLES; i += 1) {
    const article_id = `article_${audience}_${value(i)}_${i}`;
    await db()
      .insertInto('articles')
      .values({
        article_id,
        company_id: few.companyId,
        language: 'en-us',
        audience,
        state: 'published',
        publish_at: now() - i,
        expire_at: null,
        is_pinned: 0,
        notifies: 0,
        author: few.contactId,
        version: 1,
        created_at: now(),
        modified_at: now(),
      })
      .execute();
    if (audience !== 'all')
      await db()
        .insertInto('article_audiences')
        .values({ article_id, value: value(i) })
        .execute();
  }
}

const rows = await db()
  .selectFrom('clients')
  .select('client_id')
  .where('company_id', '=', few.companyId)
  .orderBy('client_id')
  .execute();
await inTransaction(async () => {
  await store('all', () => '');
  await store('kinds', () => 'business');
  await store('kinds', () => 'individual');
  await store('tags', () => 'retail');
  await store('tags', () => 'nobody');
  await store('clients', (i) => rows[i]?.client_id ?? '');
  // a third of the clients have the tag
  await db()
    .insertInto('client_tags')
    .values(
      rows
        .filter((_, i) => i % 3 === 0)
        .map(({ client_id }) => ({ client_id, tag: 'Retail', tag_key: 'retail', company_id: few.companyId })),
    )
    .execute();
});

const READS: Record<string, (actor: Actor) => Promise<unknown>> = {
  'the list': (actor) => listArticles(actor, 'en-us', { start: 0, limit: 20 }),
  'the part of the home page': (actor) => freshArticles(actor, 'en-us', 3),
};

for (const [what, read] of Object.entries(READS))
  test(`${what} of news reads about as much for a contact with 4,000 clients as for one with 100`, async () => {
    const steps = { few: await stepsOf(() => read(few)), most: await stepsOf(() => read(most)) };
    console.info(`${what} of news: ${steps.few} and ${steps.most} steps`);
    // whether one of 4,000 clients is an individual is looked up once in each statement
    expect(steps.most).toBeLessThanOrEqual(steps.few * 1.2 + 2 * 4000 * 20);
  });
