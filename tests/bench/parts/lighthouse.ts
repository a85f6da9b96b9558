import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findChromium, run as runProgram } from '../../../scripts/toolchain.mjs';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import type { Who } from '#features/base/people/people.ts';
import { PAGES } from '../../../src/routes.ts';
import { chromium, request, type APIRequestContext, type Page } from 'playwright';
import { exampleOf } from '../../../e2e/examples/all.ts';
import { patternOf } from '../../../e2e/support/every-page.ts';
import type { Options } from '../support/options.ts';
import { scratchFolder, startPortal } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';
import { pause } from '../support/wait.ts';

const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
type Scores = Record<(typeof CATEGORIES)[number], number>;

/**
 * The parts of a Lighthouse report that are read here
 * (https://github.com/GoogleChrome/lighthouse/blob/main/types/lhr/lhr.d.ts).
 */
interface Judged {
  runtimeError?: { message: string };
  categories: Partial<Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>>;
  audits: Partial<Record<string, { title: string; score: number | null }>>;
}
type Lighthouse = (url: string, flags: Record<string, unknown>) => Promise<{ lhr: Judged } | undefined>;

const ROOT = '/clientcenter/en-us/';
/** Stands for an id that is not known. */
const NONE = 'none';
const LIGHTHOUSE = path.join(import.meta.dirname, '../lighthouse');

/** Lighthouse would add a fifth to the installed files, so it is installed when it is first used. */
async function installedLighthouse(): Promise<Lighthouse> {
  const entry = path.join(LIGHTHOUSE, 'node_modules/lighthouse/core/index.js');
  if (
    !existsSync(entry) &&
    (await runProgram('npm', ['ci', '--no-audit', '--no-fund'], { cwd: LIGHTHOUSE })) !== 0
  )
    throw new Error('Lighthouse could not be installed, for the reason above.');
  const { default: lighthouse } = (await import(entry)) as { default: Lighthouse };
  return lighthouse;
}

/**
 * The person who opens a page of the demo: anybody permitted, and for optional parts of the portal somebody
 * whose firm has them all.
 */
const PEOPLE: Record<Who, string | undefined> = {
  visitor: undefined,
  demo: 'olivia@juniper.example',
  'signed-in': 'olivia@juniper.example',
  staff: 'lima@aurora.example',
};
const WITH_ALL_PARTS = 'ana@padaria.example';
const IS_PART = /\/(?:home|tasks|actions)(?:\/|$)/;
const personFor = (pattern: string, who: Who): string | undefined =>
  who !== 'staff' && IS_PART.test(pattern) ? WITH_ALL_PARTS : PEOPLE[who];

/** Runs Lighthouse for mobile on every page of the route table, signed in where required. */
export async function lighthouse({ runs }: Options): Promise<Report> {
  const judge = await installedLighthouse();
  const portal = await startPortal({ folder: scratchFolder(), env: { DEMO: '1' } });
  const origin = portal.address;
  const people = new Map<string, Visitor>();
  for (const email of [...Object.values(PEOPLE), WITH_ALL_PARTS])
    if (email !== undefined && !people.has(email)) people.set(email, await signIn(origin, email));
  const ids = await idsIn(people);
  const pages = await pagesOf(origin, people);
  const browser = await openBrowser();
  const rows: Row[] = [];
  const leadsOn: string[] = [];
  const lost = new Map<string, Set<string>>();
  for (const [pattern, { who }] of Object.entries(PAGES)) {
    const person = personFor(pattern, who);
    const known = addressOf(pattern, ids);
    const found = known.includes(NONE)
      ? await exampleAddress(pattern, `${origin}${ROOT}`, pages.get(person ?? ''))
      : known;
    const address = origin + (found ?? known);
    const cookie = people.get(person ?? '')?.cookie;
    if (pattern === FAILURE) continue;
    const status = OTHERWISE.test(pattern) ? undefined : await statusOf(address, cookie);
    if (status === undefined) {
      leadsOn.push(nameOf(pattern));
      continue;
    }
    const scores: Scores[] = [];
    for (let run = 0; run < runs; run += 1) {
      progress(`${address}, ${run + 1}`);
      const result = await measure(judge, address, browser.port, cookie);
      scores.push(scoresOf(result));
      for (const finding of costly(result))
        lost.set(finding, (lost.get(finding) ?? new Set()).add(nameOf(pattern)));
    }
    for (const category of CATEGORIES)
      rows.push({
        what: `${nameOf(pattern)}: ${category}`,
        unit: '',
        figure: median(scores.map((score) => score[category])),
        reach: [{ least: status >= 400 && category === 'best-practices' ? 96 : 100 }],
      });
  }
  for (const { context } of people.values()) await context.dispose();
  await pages.end();
  browser.end();
  await portal.end();
  return {
    title: 'Lighthouse',
    how: [
      `Lighthouse's own mobile run (simulated slow 4G, processor 4 times slower) on the demo over plain HTTP on this machine, signed in as Olivia Bennett (125 documents) where a page needs it, as Rafael Lima for the pages of staff, and as Ana for the parts that not every firm has. Pages with an id are those of the examples (e2e/examples); without one they say that nothing was found. Pages with the status of an error can reach 96 in best practices, as the browser notes the status in its console. ${runs === 1 ? 'One run each' : `Medians of ${runs}`}.`,
      `Left out, as they lead to other pages or are downloads or parts of a page: ${leadsOn.join(', ')}; and 500, to which nothing leads while the portal is well.`,
    ],
    tables: CATEGORIES.map((category) => ({
      title: category,
      rows: rows
        .filter((row) => row.what.endsWith(`: ${category}`))
        .map((row) => ({ ...row, what: row.what.slice(0, -category.length - 2) })),
    })),
    notes: [...lost].map(([finding, pages]) => `${finding}: ${[...pages].join(', ')}`),
  };
}

const nameOf = (pattern: string): string =>
  pattern.replace('/[base]/[lang]', '').replace(/^\//, '') || 'start';

/**
 * Pages without a result of their own: error pages, fragments of other pages, and redirects without an app.
 */
const FAILURE = '/500';
const OTHERWISE = /\/partials\/|\/mobile$/;

/** The URL of a page, with ids of the demo data. */
const addressOf = (pattern: string, ids: Readonly<Record<string, string>>): string =>
  pattern === '/404'
    ? '/nothing/here'
    : pattern
        .replace('[base]', 'clientcenter')
        .replace('[lang]', 'en-us')
        .replaceAll(
          /\[(?:\.\.\.)?(\w+)\]/g,
          (_, name: string) => ids[`${pattern.split('/').at(-2)}/${name}`] ?? ids[name] ?? NONE,
        );

/** A page in a browser for each person, to find the addresses of examples. */
async function pagesOf(origin: string, people: ReadonlyMap<string, Visitor>) {
  const executablePath = findChromium();
  const browser = await chromium.launch({ ...(executablePath !== undefined && { executablePath }) });
  const pages = new Map<string, Page>();
  const options = { baseURL: origin + ROOT, viewport: { width: 412, height: 823 } };
  pages.set('', await browser.newPage(options));
  for (const [email, { context }] of people)
    pages.set(email, await browser.newPage({ ...options, storageState: await context.storageState() }));
  return { get: (email: string) => pages.get(email), end: () => browser.close() };
}

/** The address of a page by its examples, from the root; undefined if none is at an address of its own. */
async function exampleAddress(
  pattern: string,
  base: string,
  page: Page | undefined,
): Promise<string | undefined> {
  const example = exampleOf(pattern);
  if (!page || !('states' in example)) return undefined;
  for (const [, at] of example.states) {
    // what the demo lacks for this person is not found
    const href = typeof at === 'string' ? at : await at(page).catch(() => '');
    const { pathname, search } = new URL(href, base);
    if (href !== '' && patternOf(pathname) === pattern) return pathname + search;
  }
  return undefined;
}

/** The status of the page that is served there; undefined for a redirect or a download. */
async function statusOf(address: string, cookie: string | undefined): Promise<number | undefined> {
  const answer = await fetch(address, {
    redirect: 'manual',
    headers: { ...(cookie !== undefined && { cookie }), accept: 'text/html' },
  });
  await answer.body?.cancel();
  const isPage =
    (answer.status < 300 || answer.status >= 400) &&
    (answer.headers.get('content-type') ?? '').startsWith('text/html') &&
    !answer.headers.has('content-disposition');
  return isPage ? answer.status : undefined;
}

/**
 * Returns the Lighthouse report of a page; sometimes Lighthouse misses the beginning of a visit, and asks
 * itself to be run again.
 */
async function measure(
  judge: Lighthouse,
  url: string,
  port: number,
  cookie: string | undefined,
  tries = 3,
): Promise<Judged> {
  const result = await judge(url, {
    port,
    output: 'json',
    logLevel: 'error',
    onlyCategories: [...CATEGORIES],
    ignoreStatusCode: true, // not-found and error pages are pages too
    ...(cookie !== undefined && { extraHeaders: { Cookie: cookie } }),
  });
  if (result?.lhr.runtimeError && tries > 1) return measure(judge, url, port, cookie, tries - 1);
  if (!result || result.lhr.runtimeError)
    throw new Error(`Lighthouse could not judge ${url}: ${result?.lhr.runtimeError?.message ?? 'no answer'}`);
  return result.lhr;
}

function scoresOf({ categories }: Judged): Scores {
  const score = (category: (typeof CATEGORIES)[number]): number =>
    Math.round((categories[category]?.score ?? Number.NaN) * 100);
  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    'best-practices': score('best-practices'),
  };
}

/** The audits that cost points, by category. */
function costly({ categories, audits }: Judged): string[] {
  return CATEGORIES.flatMap((category) =>
    (categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
      const audit = audits[id];
      if (!audit || weight === 0 || audit.score === null || audit.score >= 0.995) return [];
      return [`${category}: ${audit.title}`];
    }),
  );
}

/** A signed-in person: their request function and cookies. */
interface Visitor {
  context: APIRequestContext;
  cookie: string;
}

/** Signs in by the form, as without scripts. */
async function signIn(origin: string, email: string): Promise<Visitor> {
  const context = await request.newContext({
    baseURL: origin + ROOT,
    extraHTTPHeaders: { origin, 'sec-fetch-site': 'same-origin' },
  });
  const answer = await context.post('auth', { form: { email, password: DEMO_PASSWORD } });
  const { cookies } = await context.storageState();
  if (answer.url().includes('/auth') || cookies.length === 0) throw new Error(`${email} could not sign in.`);
  return { context, cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') };
}

/**
 * The ids used in addresses: of a document with its receipt, a client, an action, a contact, and of a link
 * from a mail, which is sent for it. A parameter name used by two pages has the preceding path segment as a
 * prefix.
 */
async function idsIn(people: ReadonlyMap<string, Visitor>): Promise<Record<string, string>> {
  const [{ context: olivia }, { context: staff }] = [
    of(people, PEOPLE['signed-in']),
    of(people, PEOPLE.staff),
  ];
  const idIn = async (context: APIRequestContext, page: string, pattern: RegExp): Promise<string> =>
    pattern.exec(await (await context.get(page)).text())?.[1] ?? '';
  const { clients } = (await (await olivia.get('/api/client-center/v1/clients/')).json()) as {
    clients: { id: string }[];
  };
  const { data } = (await (
    await olivia.get(
      `/api/storage/v1/containers/documents?clientId=${clients[0]?.id}&pageSize=2&name=engagement`,
    )
  ).json()) as { data: { items: { id: string; parent: { containerType: string; id: string } }[] } };
  const sharedItems = data.items.map(({ id, parent }) => ({
    containerType: parent.containerType,
    containerId: parent.id,
    documentId: id,
  }));
  await olivia.post('/api/storage/v2/sharing/share', {
    data: {
      expirationPeriod: 'AfterOneWeek',
      overrides: { subject: 'For the benchmark' },
      recipients: [{ emailAddress: 'supplier@ledger.example' }],
      sharedItems,
    },
  });
  const found = {
    documentId: data.items[0]?.id ?? '',
    companyId: '1',
    link: 'tasks',
    section: 'service-request',
    action: 'vacation-notice',
    number: await idIn(olivia, 'receipts', /\/receipts\/([\w-]+)"/),
    'view-as/id': await idIn(staff, 'staff/people?searchTerm=ana', /\/view-as\/([\w-]+)[?"]/),
  };
  for (let tries = 0; tries < 100; tries += 1) {
    const mail = await idIn(olivia, 'mailbox', /mailbox\/([\w-]+)/);
    const token = mail && (await idIn(olivia, `mailbox/${mail}`, /share\/([\w-]{43})/));
    if (token) return { ...found, 'mailbox/id': mail, 'share/token': token };
    await pause(200);
  }
  throw new Error('The mail of the share did not arrive in the mailbox of the demo.');
}

function of(people: ReadonlyMap<string, Visitor>, email: string | undefined): Visitor {
  const visitor = people.get(email ?? '');
  if (!visitor) throw new Error(`${email} is not signed in.`);
  return visitor;
}

/** A Chromium that Lighthouse can connect to. */
async function openBrowser(): Promise<{ port: number; end: () => void }> {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'portal-bench-profile-'));
  const child = spawn(
    findChromium() ?? 'chromium',
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-extensions',
      '--disable-background-networking',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const end = (): void => {
    child.kill('SIGKILL');
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', end);
  const port = await new Promise<number>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const [, found] = /ws:\/\/127\.0\.0\.1:(\d+)/.exec(said) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
    child.once('exit', () => reject(new Error(`Chromium ended before Lighthouse could reach it.\n${said}`)));
  });
  return { port, end };
}
