import { describe, expect, test } from 'vitest';
import { articlePage } from '#features/content/news/article-page.server.ts';
import { writtenArticle } from '#features/content/news/articles.server.ts';
import { sharedArticlePage, sharedNewsPage } from '#features/content/news/reading-pages.server.ts';
import { editArticlePage, newArticlePage } from '#features/content/news/writing-pages.server.ts';
import { createArticle } from '#features/content/news/writing.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assignClient } from '#features/base/people/rights.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { at, DAY, now } from '#platform/runtime/clock.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { localsOf } from '../../support/home.ts';
import '../../../src/app.server.ts';

const { ada, sam, clientA, firmOne } = await makeCast();
const written = (title = 'Opening hours'): Promise<string> =>
  createArticle(sam, { lang: 'en-us', title, summary: '', body: 'Until noon.' });

/** A page as Astro has it; `form` is posted. */
function pageOf(actor: Actor, address: string, form?: Record<string, string>) {
  const url = new URL(`http://localhost/clientcenter/en-us/${address}`);
  const request = new Request(url, form && { method: 'POST', body: new URLSearchParams(form) });
  return { url, request, response: { status: 200 }, locals: localsOf(actor) };
}

const problemsOf = (form: FormView) => form.problems.map(({ field, text }) => [field, text]);
const valueOf = (form: FormView, name: string) => form.fields.find((field) => field.name === name)?.value;
const locationOf = (page: object) => (page as Response).headers.get('location');

describe('writing an article', () => {
  const text = { form: 'new-article', language: 'en-us', title: 'Hours', summary: '', body: '**Noon**' };

  test('a preview shows the text and saves nothing', async () => {
    const page = await newArticlePage(
      pageOf(sam, 'staff/news/new', { ...text, form: 'new-article:preview' }),
    );
    expect(page).toMatchObject({ preview: { title: 'Hours', body: '**Noon**', language: 'en-US' } });
  });

  test('what is missing or may not be linked is said beside its field, and the text stays', async () => {
    const body = 'See [here](http://a.example).';
    const page = pageOf(sam, 'staff/news/new', { ...text, title: ' ', body });
    const { form } = (await newArticlePage(page)) as { form: FormView };
    expect(page.response.status).toBe(422);
    expect(problemsOf(form)).toEqual([
      ['title', 'Enter a title.'],
      ['body', 'Links must begin with https:// or mailto:. Change or remove the others.'],
    ]);
    expect(valueOf(form, 'body')).toBe(body);
  });

  test('a saved draft leads to its page', async () => {
    const answer = await newArticlePage(pageOf(sam, 'staff/news/new', text));
    expect(locationOf(answer)).toMatch(/staff\/news\/article_/);
  });

  test('a message to selected clients is for them only, and never for those of another firm', async () => {
    const address = `staff/news/new?id=${clientA}&id=client_of_nobody`;
    expect(await newArticlePage(pageOf(sam, address))).toMatchObject({ clients: [{ id: clientA }] });
    const answer = await newArticlePage(pageOf(sam, address, text));
    const [id = ''] = /article_\w+/.exec(locationOf(answer) ?? '') ?? [];
    expect(await writtenArticle(sam, id)).toMatchObject({ audience: 'clients', values: [clientA] });
    const message = { lang: 'en-us', title: 'Hours', summary: '', body: 'Noon.' } as const;
    await expect(createArticle(sam, message, [clientA, 'client_of_nobody'])).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('two people who change the same text', () => {
  test('the second one keeps what they typed, sees the other text, and may replace it', async () => {
    const id = await written();
    const save = (version: string, body: string) =>
      editArticlePage(
        pageOf(sam, `staff/news/${id}/edit`, {
          form: 'article-text',
          version,
          title: 'Hours',
          summary: '',
          body,
        }),
        id,
      );
    expect(await save('1', 'First')).toBeInstanceOf(Response);
    const page = await save('1', 'Second');
    if (page instanceof Response) throw new Error('The change was not refused.');
    expect(problemsOf(page.form)[0]?.[1]).toContain('Someone else changed the article');
    expect([valueOf(page.form, 'body'), page.theirs?.body]).toEqual(['Second', 'First']);
    expect(await save(String(valueOf(page.form, 'version')), 'Second')).toBeInstanceOf(Response);
    expect((await writtenArticle(sam, id)).texts[0]?.body).toBe('Second');
  });
});

describe('publishing an article', () => {
  const post = (id: string, form: Record<string, string>) =>
    articlePage(pageOf(sam, `staff/news/${id}`, form), id);
  const publish = { form: 'publish-article', version: '1', when: 'later', hour: '9', on: '' };

  test('before it is published, the page says for how many it is', async () => {
    const id = await written();
    const page = await articlePage(pageOf(sam, `staff/news/${id}`), id);
    expect(page).toMatchObject({ audience: 'All clients', reach: { clients: 2, people: 3 } });
  });

  test('a time needs a day, which is not over', async () => {
    const id = await written();
    const missing = await post(id, publish);
    const past = await post(id, { ...publish, 'on.year': '2026', 'on.month': '01', 'on.day': '31' });
    if (missing instanceof Response || past instanceof Response) throw new Error('It was published.');
    expect(missing.publishing && problemsOf(missing.publishing)).toEqual([
      ['on', 'Enter the day to publish it.'],
    ]);
    expect(past.publishing && problemsOf(past.publishing)).toEqual([
      ['on', 'This time has passed. Choose a later one, or publish now.'],
    ]);
  });

  test('an article is published at the hour of the firm, and ends with its last day there', async () => {
    const id = await written();
    const settings = { form: 'article-settings', version: '1', audience: 'all' };
    await post(id, { ...settings, 'expireOn.year': '2031', 'expireOn.month': '03', 'expireOn.day': '31' });
    await post(id, { ...publish, version: '2', 'on.year': '2031', 'on.month': '03', 'on.day': '30' });
    const { publishAt, expireAt, status } = await writtenArticle(sam, id);
    const inNewYork = (time: number | null) =>
      Temporal.Instant.fromEpochMilliseconds(time ?? 0)
        .toZonedDateTimeISO('America/New_York')
        .toPlainDateTime()
        .toString();
    expect([status, inNewYork(publishAt), inNewYork(expireAt)]).toEqual([
      'planned',
      '2031-03-30T09:00:00',
      '2031-04-01T00:00:00',
    ]);
  });

  test('clients are chosen one by one, and the article can be withdrawn and deleted', async () => {
    const id = await written();
    await post(id, { form: 'article-settings', version: '1', audience: 'clients' });
    await post(id, { add: clientA });
    const page = await articlePage(pageOf(sam, `staff/news/${id}?q=birch`), id);
    if (page instanceof Response) throw new Error('The page redirects.');
    expect(page.chosen?.map(({ name }) => name)).toEqual(['Amber Bakery']);
    expect(page.found?.map(({ name }) => name)).toEqual(['Birch Boats']);
    const version = String(page.article.version);
    await post(id, { form: 'publish-article', version, when: 'now', hour: '9' });
    expect((await writtenArticle(sam, id)).status).toBe('published');
    await post(id, { act: 'withdraw' });
    expect(locationOf(await post(id, { act: 'delete' }))).toMatch(/staff\/news$/);
  });
});

describe('staff with assigned clients', () => {
  test('they are offered these clients alone, one by one', async () => {
    const ari = await person(firmOne, 'Ari Assigned', 'ari@one.example', {
      role: 'member',
      hasAllClients: false,
    });
    await assignClient(clientA, ari.contactId);
    const id = await createArticle(ari, { lang: 'en-us', title: 'Hours', summary: '', body: 'Noon.' });
    const page = await articlePage(pageOf(ari, `staff/news/${id}?q=b`), id);
    if (page instanceof Response) throw new Error('The page redirects.');
    const audience = page.settings.fields.find(({ name }) => name === 'audience');
    expect(audience?.kind === 'choices' && audience.choices.map(({ value }) => value)).toEqual(['clients']);
    expect(page.settings.fields.map(({ name }) => name)).not.toContain('kinds');
    expect(page.found?.map(({ name }) => name)).toEqual(['Amber Bakery']);
  });
});

describe('the pages of readers', () => {
  test('staff are led to what they write, and what is not shown is not found', async () => {
    const id = await written();
    expect(locationOf(await sharedNewsPage(pageOf(sam, 'home/news')))).toMatch(/staff\/news$/);
    await expect(sharedArticlePage(pageOf(ada, `home/news/${id}`), id)).rejects.toThrow('NOT_FOUND');
  });

  test('an article is seen once it is opened, but not by a HEAD request', async () => {
    const id = await at(now() - DAY, async () => {
      const draft = await written();
      await articlePage(
        pageOf(sam, `staff/news/${draft}`, { form: 'publish-article', version: '1', when: 'now', hour: '9' }),
        draft,
      );
      return draft;
    });
    const page = pageOf(ada, `home/news/${id}`);
    const head = { ...page, request: new Request(page.url, { method: 'HEAD' }) };
    const isSeen = async () => {
      const list = await sharedNewsPage(pageOf(ada, 'home/news'));
      return 'items' in list && list.items.find((item) => item.id === id)?.seen;
    };
    await sharedArticlePage(head, id);
    expect(await isSeen()).toBe(false);
    await sharedArticlePage(page, id);
    expect(await isSeen()).toBe(true);
  });
});
