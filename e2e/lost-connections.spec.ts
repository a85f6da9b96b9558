import type { Browser, Page } from 'playwright/test';
import { unpackFlash } from '#platform/http/flash.server.ts';
import { startPostgresProxy, type PostgresProxy } from '../tests/support/postgres-proxy.ts';
import { askPostgres } from '../tests/support/services.ts';
import { WHOLE } from '../tests/support/whole.ts';
import { FORM_ACTS, type FormAct } from './support/form-acts.ts';
import { startPortal, type Portal } from './support/portal.ts';
import { enter, expect, PEOPLE, test } from './support/test.ts';

/*
 * Forms of pages while connections to PostgreSQL break, at any statement: sent again as a browser does, with the same
 * key, what a form does is done once, and the answer says so. tests/authz/lost-commits.postgres.test.ts does the same
 * for the calls of the API.
 */

test.use({ baseURL: '' }); // starts its own portal

/** What `npm test` tries, each act cut at so many statements. */
const SAMPLE = ['documents are shared', 'an invoice is paid', 'a document is signed'];
const BREAKS = WHOLE ? Infinity : 3;
const acts = Object.entries(FORM_ACTS).filter(([name]) => WHOLE || SAMPLE.includes(name));

/** Bookkeeping, which says nothing about what was done. */
const NOT_COUNTED = ['sessions', 'ended_sessions', 'limits', 'request_keys', 'nodes', 'transaction_outcomes'];
/** Statements that belong to no request. */
const BESIDE = /"nodes"|clock_timestamp|^listen|^set /i;
/** How often a form is sent until it is carried out: a page or a form says that it was not. */
const MOST_TRIES = 4;
const WITHOUT_JOBS = `${import.meta.dirname}/support/without-jobs.mjs`;

let portal: Portal;
let proxy: PostgresProxy;
/** The database as it is before every act. */
let before: Tables;
let database: { name: string; url: string };
const pages = new Map<FormAct['who'], Page>();
const addresses = new Map<string, string>();

test.beforeAll(async ({ browser }) => {
  test.setTimeout(WHOLE ? 900_000 : 240_000);
  const first = await startPortal();
  const url = String(first.env['DATABASE_URL']);
  database = { url, name: new URL(url).pathname.slice(1) };
  const preparing = await newPage(browser, first);
  for (const [name, { who, prepare }] of acts) {
    if (prepare) addresses.set(name, await prepare(preparing, first));
    await preparing.context().clearCookies();
    if (pages.has(who)) continue;
    const page = await newPage(browser, first);
    if (who !== 'nobody') await enter(page, PEOPLE[who], '');
    pages.set(who, page);
  }
  await first.halt();
  await administer(`create database ${database.name}_seed template ${database.name}`);
  before = await tablesNow();
  proxy = await startPostgresProxy(url);
  portal = await startPortal(
    {
      DATABASE_URL: proxy.url,
      PORT: new URL(first.origin).port, // that of the cookies and addresses
      NODE_OPTIONS: `--import ${WITHOUT_JOBS}`,
    },
    first.folder,
  );
});

test.afterAll(async () => {
  await portal.stop();
  await proxy.close();
  await administer(`drop database ${database.name}_seed with (force)`);
});

for (const [name, act] of acts)
  test(`${name} once, whatever statement its connection breaks at, and the answer says so`, async () => {
    test.setTimeout(WHOLE ? 1_800_000 : 120_000);
    await reset();
    const posted = await postedBy(name, act);
    const usual = await carryOut(posted);
    expect(usual.answer.status).toBe(303);
    expect(usual.changes).not.toEqual({});
    expect.soft(outsideTransactions(usual.statements), 'is marked as done with its commit').toEqual([]);
    expect(await send(posted), 'a second click').toEqual(usual.answer);
    expect(await changes(), 'a second click').toEqual(usual.changes);
    const { length } = usual.statements;
    const step = Math.max(1, Math.floor(length / BREAKS));
    for (let number = Math.ceil(step / 2); number <= length; number += step)
      for (const fate of fatesOf(usual.statements[number - 1] ?? '')) {
        let seen = 0;
        const cut = await carryOut(posted, () => ((seen += 1) === number ? fate : 'pass'));
        const where = `${fate} statement ${number} of ${length}: ${usual.statements[number - 1] ?? ''}`;
        expect.soft(cut.changes, where).toEqual(usual.changes);
        if (cut.answer.says !== 'alreadyDone') expect.soft(cut.answer, where).toEqual(usual.answer);
      }
  });

/** The rows that are created outside of a transaction: whether they were cannot be looked up, so a second try creates more. */
function outsideTransactions(statements: readonly string[]): string[] {
  let isOpen = false;
  return statements.filter((statement) => {
    if (/^(?:begin|start transaction)/.test(statement)) isOpen = true;
    else if (/(?:commit|rollback)$/.test(statement)) isOpen = false;
    const table = /^insert into "(\w+)"/.exec(statement)?.[1];
    return !isOpen && table !== undefined && !NOT_COUNTED.includes(table);
  });
}

/** A statement that only reads is the same, whether it was carried out or not. */
const fatesOf = (statement: string): ('cut before' | 'cut after')[] =>
  statement.startsWith('select') ? ['cut before'] : ['cut before', 'cut after'];

const administer = (statement: string) => askPostgres(String(process.env['TEST_DATABASE_URL']), statement);

async function reset(): Promise<void> {
  await administer(`drop database ${database.name} with (force)`);
  await administer(`create database ${database.name} template ${database.name}_seed`);
  // people who signed in an hour ago are still here
  await askPostgres(
    database.url,
    `update sessions set last_seen_at = extract(epoch from clock_timestamp()) * 1000, authenticated_at = extract(epoch from clock_timestamp()) * 1000`,
  );
}

async function newPage(browser: Browser, { origin }: Portal): Promise<Page> {
  const baseURL = `${origin}/clientcenter/en-us/`;
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL });
  context.setDefaultTimeout(30_000);
  return context.newPage();
}

/** What the browser sends for a form. */
interface Posted {
  address: string;
  isMultipart: boolean;
  fields: { name: string; value: string; file?: { type: string; bytes: string } }[];
  cookie: string;
}

async function postedBy(name: string, { who, fill }: FormAct): Promise<Posted> {
  const page = pages.get(who);
  if (!page) throw new Error(`${who} is not signed in`);
  const button = await fill(page, addresses.get(name) ?? '');
  const posted = await button.evaluate(async (submitter: HTMLButtonElement) => {
    const { form, formAction } = submitter;
    if (!form) throw new Error('The button has no form.');
    const fields = await Promise.all(
      [...new FormData(form, submitter)].map(async ([field, value]) => {
        if (typeof value === 'string') return { name: field, value };
        const bytes = btoa(String.fromCharCode(...new Uint8Array(await value.arrayBuffer())));
        return { name: field, value: value.name, file: { type: value.type, bytes } };
      }),
    );
    return { address: formAction, isMultipart: form.enctype === 'multipart/form-data', fields };
  });
  const cookies = await page.context().cookies();
  return { ...posted, cookie: cookies.map((each) => `${each.name}=${each.value}`).join('; ') };
}

interface Answer {
  status: number;
  to: string;
  /** The key of the message on the next page. */
  says: string;
}

async function send({ address, isMultipart, fields, cookie }: Posted): Promise<Answer> {
  const form = new FormData();
  for (const { name, value, file } of fields)
    if (file) form.append(name, new Blob([Buffer.from(file.bytes, 'base64')], { type: file.type }), value);
    else form.append(name, value);
  const texts = fields.map(({ name, value }): [string, string] => [name, value]);
  const response = await fetch(address, {
    method: 'POST',
    body: isMultipart ? form : new URLSearchParams(texts),
    redirect: 'manual',
    headers: { cookie, origin: new URL(address).origin, accept: 'text/html' },
  });
  await response.arrayBuffer();
  const flash = response.headers.getSetCookie().flatMap((each) => /flash=([^;]+)/.exec(each)?.[1] ?? []);
  return {
    status: response.status,
    // without ids and tokens, which differ
    to: (response.headers.get('location') ?? '').replaceAll(/_[0-9a-f]{32}|[\w.-]{40,}|\b\w{5}-\w{5}\b/g, ''),
    says: unpackFlash(flash[0])?.key ?? '',
  };
}

/** The rows of each table, with a sum that changes when they do. */
type Tables = Map<string, { sum: string; rows: Set<string> }>;

async function tablesNow(known: Tables = new Map()): Promise<Tables> {
  const names = await askPostgres(
    database.url,
    `select tablename from pg_tables where schemaname = 'public' and tablename not in (${NOT_COUNTED.map((name) => `'${name}'`).join()})`,
  );
  const sums = names.map(
    ({ tablename: name }) =>
      `select '${String(name)}' as name, concat(count(*), ' ', sum(hashtext(t::text)::bigint)) as sum from "${String(name)}" t`,
  );
  const now: Tables = new Map();
  for (const row of await askPostgres(database.url, sums.join(' union all '))) {
    const [name, sum] = [String(row['name']), String(row['sum'])];
    const same = known.get(name);
    now.set(name, same?.sum === sum ? same : { sum, rows: await rowsOf(name) });
  }
  return now;
}

const rowsOf = async (table: string): Promise<Set<string>> =>
  new Set(
    (await askPostgres(database.url, `select t::text as row from "${table}" t`)).map(({ row }) =>
      String(row),
    ),
  );

/** How many rows came and went, by table. */
async function changes(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [name, { rows }] of await tablesNow(before)) {
    const old = before.get(name)?.rows ?? new Set<string>();
    const [came, went] = [rows.difference(old).size, old.difference(rows).size];
    if (came > 0) counts[`${name} +`] = came;
    if (went > 0) counts[`${name} -`] = went;
  }
  return counts;
}

/** Sends a form in the same world each time, again while it fails, and notes what it changed. */
async function carryOut(posted: Posted, decide: PostgresProxy['decide'] = () => 'pass') {
  await reset();
  const statements: string[] = [];
  proxy.decide = (statement) => {
    if (BESIDE.test(statement)) return 'pass';
    statements.push(statement);
    return decide(statement);
  };
  let answer = await send(posted);
  proxy.decide = () => 'pass';
  for (let tried = 1; tried < MOST_TRIES && answer.status >= 400; tried += 1) answer = await send(posted);
  return { answer, changes: await changes(), statements };
}
