import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { startBaseline } from '../support/baseline.ts';
import { PROFILES, visit, type Profile, type View, type Visit } from '../support/browser.ts';
import { ask } from '../support/load.ts';
import type { Options } from '../support/options.ts';
import { scratchFolder, startPortal } from '../support/portal.ts';
import type { Program } from '../support/program.ts';
import { progress } from '../support/progress.ts';
import { median, type Reach, type Report, type Row, type Table } from '../support/report.ts';
import type { World } from '../world.ts';
import { inWorld } from '../support/seed.ts';
import { makeCertificate, startProxy, type Proxy } from '../support/tls.ts';
import { pause } from '../support/wait.ts';
import { pdfOf } from '../../support/pdf.ts';

interface Measured extends Visit {
  name: string;
  /** kB of the whole page and of its scripts, and when the first element is usable, in s. */
  most: { total: number; script: number } & Record<Profile, number>;
}

const DOCUMENTS = { total: 32, script: 6, mobile: 0.8, low: 1.4 };
const OTHER = { ...DOCUMENTS, total: 24 };
const PLAIN = { total: 9, script: 1, mobile: 0.6, low: 1 };
/** ms in which the page does not react. */
const MAX_BLOCKED: Record<Profile, number> = { mobile: 30, low: 80 };
const MAX_TIMES_THE_LIMIT = 1.25;
/** For a page of a PDF, which somebody has asked for. */
const SHEET = { timesTheLimit: 2.5, low: 3 };

type Numbers = Omit<View, 'page'>;

/**
 * Measures pages as a phone loads them first, next to the minimum that could be sent: their own markup as a
 * file.
 */
export async function pages({ runs }: Options): Promise<Report> {
  const folder = scratchFolder();
  const world = inWorld(folder, { do: 'make', documents: 1000 });
  const { token } = inWorld(folder, {
    do: 'share',
    contactId: world.contactId,
    containerId: world.folderId,
    most: 3,
  });
  const certificate = makeCertificate(folder);
  const [proxy, staticProxy] = [await startProxy(certificate), await startProxy(certificate)];
  const portal = await startPortal({ folder, origin: proxy.origin });
  proxy.pointAt(portal.address);

  const address = `${proxy.origin}/clientcenter/en-us/`;
  const as = (session: string) => [{ name: '__Host-sid', value: session }];
  const chosen = await firstDocuments(
    `${portal.address}/api/storage/v1/containers/documents?clientId=${world.clientId}&pageSize=3`,
    proxy.origin,
    world.contact,
  );
  const measured: Measured[] = [
    { name: 'sign-in', url: `${address}auth`, ready: '#email', cookies: [], most: PLAIN },
    {
      name: 'share link',
      url: `${address}share/${token}`,
      ready: 'main form button',
      cookies: [],
      most: PLAIN,
    },
    {
      name: 'documents, 100 rows',
      url: `${address}documents`,
      ready: '#document-list tbody tr',
      cookies: as(world.contact),
      most: DOCUMENTS,
    },
    {
      name: 'clients',
      url: `${address}clients`,
      ready: '.choices button',
      cookies: as(world.holder),
      most: OTHER,
    },
    {
      name: 'send',
      url: `${address}documents/send?${chosen.map((id) => `id=${id}`).join('&')}`,
      ready: '#share-to',
      cookies: as(world.contact),
      most: OTHER,
    },
  ];

  const limits = path.join(folder, 'static');
  mkdirSync(limits);
  for (const [index, page] of measured.entries())
    await keepMarkup(
      portal.address + page.url.slice(proxy.origin.length),
      proxy.origin,
      page,
      path.join(limits, `${index}.html`),
    );
  const files = await startBaseline('static', limits);
  staticProxy.pointAt(files.address);

  const tables: Table[] = [];
  for (const profile of Object.keys(PROFILES) as Profile[]) {
    const rows: Row[] = [];
    for (const [index, page] of measured.entries()) {
      const ours: Numbers[] = [];
      const limit: Numbers[] = [];
      for (let run = 0; run < runs; run += 1) {
        progress(`${page.name}, ${profile}, ${run + 1}`);
        ours.push(await visit(profile, certificate.fingerprint, page, (view) => Promise.resolve(view)));
        limit.push(
          await visit(
            profile,
            certificate.fingerprint,
            { ...page, url: `${staticProxy.origin}/${index}`, cookies: [] },
            (view) => Promise.resolve(view),
          ),
        );
      }
      rows.push(...rowsOf(page, profile, ours, limit));
    }
    tables.push({ title: `${profile}: ${describe(profile)}`, rows });
  }
  const documents = measured[2];
  if (documents) tables.push(await firstClick(documents, certificate.fingerprint, runs));
  const open = async (): Promise<Visit> => ({
    url: `${address}documents/${await handInLedger(portal.address, proxy.origin, world)}/view`,
    ready: '.paper img',
    cookies: as(world.contact),
  });
  tables.push(
    await firstSheet(open, {
      ours: portal.address,
      folder: path.join(folder, 'sheet'),
      files: staticProxy,
      certificate: certificate.fingerprint,
      runs,
    }),
  );

  await portal.end();
  await files.end();
  proxy.close();
  staticProxy.close();
  return {
    title: 'Pages',
    how: [
      'Cold visits in a fresh browser profile through a proxy that speaks TLS and HTTP/2; Chromium slows line and processor down. No demo; the firm has a logo.',
      `Bytes are those on the wire with their headers. Usable is when the first row or field is painted and would take a tap. The limit is the page's own markup with its styles in it, without its scripts and images, as a file with precompressed brotli behind the same proxy. Medians of ${runs}, in turns.`,
    ],
    tables,
  };
}

const describe = (profile: Profile): string => {
  const { latency, down, up, slower, viewport } = PROFILES[profile];
  return `${latency} ms, ${(down * 8) / 1e6}/${(up * 8) / 1e6} Mbit/s, processor ${slower} times slower, ${viewport.width}x${viewport.height}`;
};

function rowsOf({ name, most }: Measured, profile: Profile, ours: Numbers[], limit: Numbers[]): Row[] {
  const of = (numbers: Numbers[], take: (one: Numbers) => number) => median(numbers.map(take));
  const row = (what: string, unit: string, take: (one: Numbers) => number, reach: Reach[]): Row => ({
    what: `${name}: ${what}`,
    unit,
    figure: of(ours, take),
    baseline: of(limit, take),
    reach,
  });
  const speed: Row = row('usable', 's', (one) => one.ready / 1000, [
    { most: most[profile] },
    { of: 'ratio', most: MAX_TIMES_THE_LIMIT },
  ]);
  const still = [
    row('blocked', 'ms', (one) => one.blocked, [{ most: MAX_BLOCKED[profile] }]),
    row('layout shift', '', (one) => one.shift, [{ most: 0 }]),
  ];
  if (profile === 'low') return [speed, ...still];
  return [
    row('transferred', 'kB', (one) => one.bytes / 1000, [{ most: most.total }]),
    row('script', 'kB', (one) => one.scriptBytes / 1000, [{ most: most.script }]),
    speed,
    ...still,
  ];
}

/** The ids of the first documents of a client, requested without the proxy. */
async function firstDocuments(url: string, origin: string, session: string): Promise<string[]> {
  const { body } = await ask(url, {
    headers: { host: new URL(origin).host, cookie: `__Host-sid=${session}` },
  });
  return (JSON.parse(body.toString()) as { data: { items: { id: string }[] } }).data.items.map(
    (item) => item.id,
  );
}

const asIn = (origin: string, { cookies }: Visit) => {
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  return { headers: { host: new URL(origin).host, ...(cookie && { cookie }) } };
};

/**
 * Saves a page's markup and styles as one file; `image` is the tag in it that is kept, with the URL of the image there.
 */
async function keepMarkup(
  url: string,
  origin: string,
  page: Visit,
  file: string,
  image?: { tag: RegExp; at: string },
): Promise<void> {
  const html = (await ask(url, asIn(origin, page))).body.toString();
  const styles: string[] = [];
  for (const [link] of html.matchAll(/<link\b[^>]*\brel="?stylesheet\b[^>]*>/g)) {
    const href = /\bhref="([^"]*)"/.exec(link)?.[1]?.replaceAll('&#38;', '&').replaceAll('&amp;', '&');
    if (href !== undefined && !/\bmedia="?print\b/.test(link))
      styles.push((await ask(new URL(href, url).href, asIn(origin, page))).body.toString());
  }
  const markup = html
    .replace(/<script\b[^]*?<\/script>|<link\b[^>]*>|<img\b[^>]*>|<svg\b[^]*?<\/svg>/g, (tag) =>
      image?.tag.test(tag)
        ? tag.replace(/ srcset="[^"]*"/, '').replace(/ src="[^"]*"/, ` src="${image.at}"`)
        : '',
    )
    .replace('</head>', () => `<style>${styles.join('')}</style></head>`);
  writeFileSync(file, markup);
  writeFileSync(`${file}.br`, brotliCompressSync(markup));
  writeFileSync(`${file}.gz`, gzipSync(markup));
}

const SHEETS = 200;
const LINES = 50;

/** Uploads a ledger that nobody has opened yet, and returns its id. */
async function handInLedger(address: string, origin: string, { contact, projectId }: World): Promise<string> {
  const sheets = Array.from({ length: SHEETS }, (_, sheet) =>
    Array.from(
      { length: LINES },
      (_, line) =>
        `${sheet + 1}.${line + 1}   Wages and salaries, week ${line + 1}   Juniper Street Bakery   ${(sheet * 7919 + line * 104_729) % 100_000}.00 USD`,
    ).join('\n'),
  );
  const form = new FormData();
  form.append(
    'file[]',
    new File([new Uint8Array(pdfOf(sheets, { size: 10 }))], `Ledger ${crypto.randomUUID()}.pdf`, {
      type: 'application/pdf',
    }),
  );
  const packed = new Response(form);
  const headers = {
    host: new URL(origin).host,
    origin,
    cookie: `__Host-sid=${contact}`,
    'content-type': packed.headers.get('content-type') ?? '',
  };
  const { body } = await ask(`${address}/api/storage/v1/projects/${projectId}/documents`, {
    method: 'POST',
    headers,
    body: Buffer.from(await packed.arrayBuffer()),
  });
  const [document] = (JSON.parse(body.toString()) as { data: { id: string }[] }).data;
  return document?.id ?? '';
}

/**
 * Measures the first page of a long PDF opened for the first time, next to its page and its image as files.
 */
async function firstSheet(
  open: () => Promise<Visit>,
  {
    ours,
    folder,
    files,
    certificate,
    runs,
  }: { ours: string; folder: string; files: Proxy; certificate: string; runs: number },
): Promise<Table> {
  const rows: Row[] = [];
  let limits: Program | undefined;
  for (const profile of Object.keys(PROFILES) as Profile[]) {
    const found: { ready: number; bytes: number }[] = [];
    const limit: { ready: number; bytes: number }[] = [];
    for (let run = 0; run < runs; run += 1) {
      progress(`first sheet, ${profile}, ${run + 1}`);
      const page = await open();
      const seen = await visit(profile, certificate, page, untilReady);
      found.push(seen);
      if (!limits) {
        const { origin } = new URL(page.url);
        mkdirSync(folder);
        await keepMarkup(page.url.replace(origin, ours), origin, page, path.join(folder, 'sheet.html'), {
          tag: /\/pages\/1\?/,
          at: '/sheet.webp',
        });
        writeFileSync(
          path.join(folder, 'sheet.webp'),
          (await ask(seen.image.replace(origin, ours), asIn(origin, page))).body,
        );
        const started = await startBaseline('static', folder);
        files.pointAt(started.address);
        limits = started;
      }
      limit.push(
        await visit(
          profile,
          certificate,
          { ...page, url: `${files.origin}/sheet`, ready: 'img', cookies: [] },
          untilReady,
        ),
      );
    }
    const row = (
      what: string,
      unit: string,
      take: (one: { ready: number; bytes: number }) => number,
      reach: Reach[],
    ): Row => ({
      what: `${profile}: ${what}`,
      unit,
      figure: median(found.map(take)),
      baseline: median(limit.map(take)),
      reach,
    });
    rows.push(
      row('transferred until then', 'kB', ({ bytes }) => bytes / 1000, [{ most: 100 }]),
      row(
        'shown',
        's',
        ({ ready }) => ready / 1000,
        profile === 'mobile' ? [{ of: 'ratio', most: SHEET.timesTheLimit }] : [{ most: SHEET.low }],
      ),
    );
  }
  await limits?.end();
  return { title: `First sheet of a PDF of ${SHEETS} sheets that nobody has opened before`, rows };
}

/**
 * The resources loaded by the time the awaited image is shown, as counted by the page itself, and the URL of
 * that image.
 */
async function untilReady({ ready, page }: View): Promise<{ ready: number; bytes: number; image: string }> {
  const counted = await page.evaluate((moment) => {
    const came = [
      ...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource'),
    ] as PerformanceResourceTiming[];
    return {
      bytes: came
        .filter(({ responseEnd }) => responseEnd <= moment)
        .reduce((sum, { transferSize }) => sum + transferSize, 0),
      image: document.querySelector<HTMLImageElement>('.paper img')?.currentSrc ?? '',
    };
  }, ready);
  return { ready, ...counted };
}

/**
 * Measures the first tap on Share before its island is loaded: when a reaction is visible, and when the dialog is
 * shown; at once after a row was ticked, which shows the button, and a second later.
 */
async function firstClick(page: Measured, certificate: string, runs: number): Promise<Table> {
  progress('first tap');
  const clicks: { reaction: number; done: number }[] = [];
  const later: number[] = [];
  const tapAfter = (wait: number): Promise<{ reaction: number; done: number }> =>
    visit('low', certificate, page, async ({ page: tab }) => {
      await tab.locator('#document-list input[name=id]').first().check();
      await pause(wait);
      await tab.evaluate(watchClick);
      await tab.locator('astro-island [form=document-form]').tap({ noWaitAfter: true });
      await tab.locator('dialog[open]').waitFor({ timeout: 60_000 });
      return tab.evaluate(() => window.clicked);
    });
  for (let run = 0; run < runs; run += 1) {
    clicks.push(await tapAfter(0));
    later.push((await tapAfter(1000)).done);
  }
  return {
    title: 'First tap on an untouched island, low',
    rows: [
      {
        what: 'visible reaction',
        unit: 'ms',
        figure: median(clicks.map((click) => click.reaction)),
        reach: [{ most: 100 }],
        note: 'the island is marked busy and painted',
      },
      {
        what: 'dialog open',
        unit: 'ms',
        figure: median(clicks.map((click) => click.done)),
        reach: [{ most: 1500 }],
      },
      {
        what: 'dialog open, tapped a second later',
        unit: 'ms',
        figure: median(later),
        reach: [{ most: 1500 }],
      },
    ],
  };
}

declare global {
  interface Window {
    clicked: Promise<{ reaction: number; done: number }>;
  }
}

/**
 * Runs in the page: records the first frame after the tap that shows a change, and the first that shows the
 * dialog.
 */
function watchClick(): void {
  const button = document.querySelector('astro-island [form=document-form]');
  const island = button?.closest('astro-island');
  window.clicked = new Promise((resolve) => {
    let began = Number.NaN;
    let reaction = Number.NaN;
    const begin = (event: Event): void => {
      if (Number.isNaN(began)) began = event.timeStamp;
    };
    island?.addEventListener('pointerdown', begin, { capture: true });
    const frame = (): void => {
      if (
        Number.isNaN(reaction) &&
        (island?.hasAttribute('aria-busy') || document.querySelector('dialog[open]'))
      )
        reaction = performance.now() - began;
      if (document.querySelector('dialog[open]')) resolve({ reaction, done: performance.now() - began });
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}
