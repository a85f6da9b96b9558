import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findChromium, run as runProgram } from '../../../scripts/toolchain.mjs';
import { DEMO_PASSWORD } from '#features/demo/demo.ts';
import { PAGES, type Who } from '../../../src/routes.ts';
import { chromium } from 'playwright';
import { ask } from '../kit/load.ts';
import type { Options } from '../kit/options.ts';
import { scratchFolder, startPortal } from '../kit/portal.ts';
import { progress } from '../kit/progress.ts';
import { median, type Report, type Row } from '../kit/report.ts';
import { pause } from '../kit/wait.ts';

const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
type Scores = Record<(typeof CATEGORIES)[number], number>;

/** What Lighthouse says of a page, as far as it is read here (https://github.com/GoogleChrome/lighthouse/blob/main/types/lhr/lhr.d.ts). */
interface Judged {
  runtimeError?: { message: string };
  categories: Partial<Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>>;
  audits: Partial<Record<string, { title: string; score: number | null }>>;
}
type Lighthouse = (url: string, flags: Record<string, unknown>) => Promise<{ lhr: Judged } | undefined>;

const LIGHTHOUSE = path.join(import.meta.dirname, '../lighthouse');

/** Lighthouse has a fifth of all files that would be installed, so it is installed where it is used first. */
async function installedLighthouse(): Promise<Lighthouse> {
  const entry = path.join(LIGHTHOUSE, 'node_modules/lighthouse/core/index.js');
  if (!existsSync(entry) && (await runProgram('npm', ['ci', '--no-audit', '--no-fund'], { cwd: LIGHTHOUSE })) !== 0) throw new Error('Lighthouse could not be installed, for the reason above.');
  const { default: lighthouse } = (await import(entry)) as { default: Lighthouse };
  return lighthouse;
}

/** Patterns that are no page of their own, with the reason. */
const LEFT_OUT: Record<string, string> = {
  '/[base]/[lang]': 'it leads to the documents',
  '/[base]/[lang]/partials/documents': 'a part of the documents page',
  '/500': 'nothing leads there while the portal is well',
};

/** Lighthouse's mobile run on every page of the route table, signed in where that needs it. */
export async function lighthouse({ runs }: Options): Promise<Report> {
  const judge = await installedLighthouse();
  const portal = await startPortal({ folder: scratchFolder(), env: { DEMO: '1' } });
  const origin = portal.address;
  const sid = await signIn(`${origin}/clientcenter/en-us/`);
  const ids = await shareSomething(origin, sid);
  const browser = await openBrowser();
  const rows: Row[] = [];
  const lost = new Map<string, Set<string>>();
  for (const [pattern, { who }] of Object.entries(PAGES)) {
    if (pattern in LEFT_OUT) continue;
    const address = addressOf(pattern, ids);
    const scores: Scores[] = [];
    for (let run = 0; run < runs; run += 1) {
      progress(`${address}, ${run + 1}`);
      const result = await measure(judge, origin + address, browser.port, who, sid);
      scores.push(scoresOf(result));
      for (const finding of costly(result)) lost.set(finding, (lost.get(finding) ?? new Set()).add(nameOf(pattern)));
    }
    for (const category of CATEGORIES) rows.push({ what: `${nameOf(pattern)}: ${category}`, unit: '', figure: median(scores.map((score) => score[category])), reach: [{ least: 100 }] });
  }
  browser.end();
  await portal.end();
  return {
    title: 'Lighthouse',
    how: [
      `Lighthouse's own mobile run (simulated slow 4G, processor 4 times slower) on the demo over plain HTTP on this machine, signed in as Olivia Bennett (125 documents) where a page needs it. Medians of ${runs}.`,
      `Left out: ${Object.entries(LEFT_OUT).map(([pattern, why]) => `${nameOf(pattern)} (${why})`).join(', ')}.`,
    ],
    tables: CATEGORIES.map((category) => ({ title: category, rows: rows.filter((row) => row.what.endsWith(`: ${category}`)).map((row) => ({ ...row, what: row.what.slice(0, -category.length - 2) })) })),
    notes: [...lost].map(([finding, pages]) => `${finding}: ${[...pages].join(', ')}`),
  };
}

const nameOf = (pattern: string): string => pattern.replace('/[base]/[lang]', '').replace(/^\//, '') || 'home';

const addressOf = (pattern: string, ids: { token: string; mail: string }): string =>
  pattern === '/404' ? '/nothing/here' : pattern.replace('[base]', 'clientcenter').replace('[lang]', 'en-us').replace('[token]', ids.token).replace('[id]', ids.mail);

async function measure(judge: Lighthouse, url: string, port: number, who: Who, sid: string): Promise<Judged> {
  const result = await judge(url, {
    port,
    output: 'json',
    logLevel: 'error',
    onlyCategories: [...CATEGORIES],
    ignoreStatusCode: true, // not-found and refusals are pages too
    ...(who === 'signed-in' && { extraHeaders: { Cookie: `sid=${sid}` } }),
  });
  if (!result || result.lhr.runtimeError) throw new Error(`Lighthouse could not judge ${url}: ${result?.lhr.runtimeError?.message ?? 'no answer'}`);
  return result.lhr;
}

function scoresOf({ categories }: Judged): Scores {
  const score = (category: (typeof CATEGORIES)[number]): number => Math.round((categories[category]?.score ?? Number.NaN) * 100);
  return { performance: score('performance'), accessibility: score('accessibility'), 'best-practices': score('best-practices') };
}

/** What took points, by category. */
function costly({ categories, audits }: Judged): string[] {
  return CATEGORIES.flatMap((category) =>
    (categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
      const audit = audits[id];
      if (!audit || weight === 0 || audit.score === null || audit.score >= 0.995) return [];
      return [`${category}: ${audit.title}`];
    }),
  );
}

/** Signs in as a person does and answers the session's cookie. */
async function signIn(home: string): Promise<string> {
  const executablePath = findChromium();
  const browser = await chromium.launch({ ...(executablePath !== undefined && { executablePath }), args: ['--no-sandbox'] });
  const page = await browser.newPage();
  await page.goto(home);
  await page.locator('#email').fill('olivia@juniper.example');
  await page.locator('#password').fill(DEMO_PASSWORD);
  await page.locator('main form button').first().click();
  await page.locator('#account').waitFor();
  const cookies = await page.context().cookies();
  await browser.close();
  return cookies.find(({ name }) => name === 'sid')?.value ?? '';
}

/** Sends a document, so that there is a link and a mail to look at. */
async function shareSomething(origin: string, sid: string): Promise<{ token: string; mail: string }> {
  const headers = { cookie: `sid=${sid}`, origin, 'content-type': 'application/json' };
  const get = async (address: string): Promise<string> => (await ask(origin + address, { headers })).body.toString();
  const { clients } = JSON.parse(await get('/api/client-center/v1/clients/')) as { clients: { id: string }[] };
  const { data: list } = JSON.parse(await get(`/api/storage/v1/containers/documents?clientId=${clients[0]?.id}&pageSize=2`)) as { data: { items: { id: string }[] } };
  const body = JSON.stringify({ expirationPeriod: 'AfterOneWeek', overrides: { subject: 'For the benchmark' }, recipients: [{ emailAddress: 'supplier@ledger.example' }], sharedItems: list.items.map(({ id }) => ({ containerType: 'Folder', containerId: '-', documentId: id })) });
  await ask(`${origin}/api/storage/v2/sharing/share`, { method: 'POST', headers, body });
  for (let tries = 0; tries < 100; tries += 1) {
    const [, mail] = /mailbox\/([\w-]+)/.exec(await get('/clientcenter/en-us/mailbox')) ?? [];
    const [, token] = mail === undefined ? [] : (/share\/([\w-]{43})/.exec(await get(`/clientcenter/en-us/mailbox/${mail}`)) ?? []);
    if (mail !== undefined && token !== undefined) return { mail, token };
    await pause(200);
  }
  throw new Error('The mail of the share did not arrive in the mailbox of the demo.');
}

/** A Chromium that Lighthouse can reach. */
async function openBrowser(): Promise<{ port: number; end: () => void }> {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'portal-bench-profile-'));
  const child = spawn(findChromium() ?? 'chromium', ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--no-first-run', '--disable-extensions', '--disable-background-networking', '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
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
