import { randomBytes } from 'node:crypto';
import { pdfOf } from '../../support/pdf.ts';
import type { Crowd } from '../world.ts';
import { ask, fire } from '../support/load.ts';
import { longestWait } from '../support/longest-wait.ts';
import { MULTIPART, multipart, send } from '../support/multipart.ts';
import type { Options } from '../support/options.ts';
import { scratchFolder, startPortal, type BenchPortal } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';
import { inWorld } from '../support/seed.ts';
import { pause } from '../support/wait.ts';

const PEOPLE = 100;
/** Others, since a person has only so many sessions at a time. */
const WHO_SIGN_IN = 20;
const DOCUMENTS = 200;
const AT_ONCE = 8;
const SECONDS = 10;
const SIGNING_IN = 16;
const MB = 1_000_000;
const MAX_DELAY = 50;

/** Many people on one process, and what the heaviest act of one of them costs the others. */
export async function concurrency({ runs }: Options): Promise<Report> {
  const folder = scratchFolder();
  progress(`making ${PEOPLE} people`);
  const crowd = inWorld(folder, { do: 'crowd', people: PEOPLE + WHO_SIGN_IN, documents: DOCUMENTS });
  // each sign-in comes from a network of its own, as limits count by network
  const portal = await startPortal({ folder, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const pages = pagesOf(portal, crowd);
  await pages.asFastAsPossible(3); // warm
  const found = {
    most: [] as number[],
    half: [] as number[],
    others: [] as number[],
    signIn: [] as number[],
  };
  const turns = Math.max(3, runs);
  for (let run = 1; run <= turns; run += 1) {
    progress(`pages as fast as possible, ${run}`);
    found.most.push(await pages.asFastAsPossible(SECONDS));
    progress(`pages at half of it, ${run}`);
    const half = median(found.most) / 2;
    found.half.push(p99(await pages.steadily(half, SECONDS)));
    progress(`sign-ins, ${run}`);
    found.signIn.push(await costOfSignIns(portal, crowd));
    progress(`pages while others sign in, ${run}`);
    found.others.push(await othersWhileSigningIn(portal, crowd, pages));
  }
  await portal.end();
  return {
    title: 'Many people at once',
    how: [
      `${PEOPLE} contacts of a firm with a client of ${DOCUMENTS} documents each, who open their documents page (100 rows, brotli) on one process, ${SECONDS} s each, medians of ${turns} turns. What asks runs on the same ${AT_ONCE > 1 ? 'two processors' : 'processor'}.`,
      `Pages a second over ${AT_ONCE} connections, each asking as soon as it has its answer. Half of it: requests begin at fixed times, whether or not earlier ones are answered, and time counts from then. While others sign in: ${SIGNING_IN} people sign in at once, again and again, all forms and redirects of it; the pages of others come at 20 a second.`,
      'Heavy acts: the longest wait for an answer of /healthz, asked without pause, during the act; the baseline is the longest of the same time without it. The firm has 100,000 documents.',
    ],
    tables: [
      {
        title: 'Pages and sign-ins',
        rows: [
          { what: 'pages a second', unit: '', figure: median(found.most), reach: [{ least: 200 }] },
          { what: 'p99 at half of it', unit: 'ms', figure: median(found.half), reach: [{ most: 40 }] },
          {
            what: 'sign-in, processor time of all its requests',
            unit: 'ms',
            figure: median(found.signIn),
            reach: [{ most: 50 }],
          },
          {
            what: `p99 of others' pages while ${SIGNING_IN} sign in`,
            unit: 'ms',
            figure: median(found.others),
            reach: [{ most: 60 }],
          },
        ],
      },
      { title: 'While one person does something heavy', rows: await heavyActs() },
    ],
  };
}

const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;

/** The documents pages of everybody, in turns. */
function pagesOf(portal: BenchPortal, { sessions }: Crowd) {
  const url = `${portal.address}/clientcenter/en-us/documents`;
  let next = 0;
  const open = (connections: number): Promise<number[]> => {
    next += 1;
    const headers = { cookie: `sid=${sessions[next % PEOPLE] ?? ''}`, 'accept-encoding': 'br' };
    return fire(url, { headers }, 1, connections);
  };
  return {
    /** Pages a second. */
    asFastAsPossible: async (seconds: number): Promise<number> => {
      const began = performance.now();
      let count = 0;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (performance.now() - began < seconds * 1000) {
            await open(AT_ONCE);
            count += 1;
          }
        }),
      );
      return (count * 1000) / (performance.now() - began);
    },
    /** How long each page took, in ms from when it should have been asked for. */
    steadily: async (rate: number, seconds: number): Promise<number[]> => {
      const began = performance.now();
      const took: Promise<number>[] = [];
      for (let i = 0; i < rate * seconds; i += 1) {
        const due = began + (i * 1000) / rate;
        if (due > performance.now()) await pause(due - performance.now());
        took.push(open(PEOPLE).then(() => performance.now() - due));
      }
      return Promise.all(took);
    },
  };
}

async function costOfSignIns(portal: BenchPortal, crowd: Crowd): Promise<number> {
  const before = portal.cpu();
  for (let i = 0; i < WHO_SIGN_IN; i += 1) await signIn(portal.address, crowd, i);
  return (portal.cpu() - before) / WHO_SIGN_IN;
}

async function othersWhileSigningIn(
  portal: BenchPortal,
  crowd: Crowd,
  pages: ReturnType<typeof pagesOf>,
): Promise<number> {
  let goesOn = true;
  const signingIn = Array.from({ length: SIGNING_IN }, async (_, person) => {
    while (goesOn) await signIn(portal.address, crowd, person);
  });
  const took = await pages.steadily(20, SECONDS);
  goesOn = false;
  await Promise.all(signingIn);
  return p99(took);
}

let networks = 0;

/** The form and all redirects after it, with their cookies, until the page that was asked for. */
async function signIn(address: string, { emails, password }: Crowd, person: number): Promise<void> {
  networks += 1;
  const network = `10.${(networks >> 16) & 255}.${(networks >> 8) & 255}.${networks & 255}`;
  const cookies = new Map<string, string>();
  const request = async (url: string, body?: URLSearchParams): Promise<Response> => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: {
        origin: address,
        'x-forwarded-for': network,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      ...(body && { method: 'POST', body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    await response.arrayBuffer();
    return response;
  };
  const page = `${address}/clientcenter/en-us/auth`;
  await request(page);
  let response = await request(page, new URLSearchParams({ email: emails[PEOPLE + person] ?? '', password }));
  let at = page;
  for (let hops = 0; response.status >= 300 && response.status < 400 && hops < 12; hops += 1) {
    at = new URL(response.headers.get('location') ?? '', at).href;
    response = await request(at);
  }
  if (!response.ok || at.includes('/auth'))
    throw new Error(`A sign-in ended at ${at} with ${response.status}.`);
}

async function heavyActs(): Promise<Row[]> {
  const folder = scratchFolder();
  progress('making 100,000 documents');
  const world = inWorld(folder, { do: 'make', documents: 100_000, moreClients: true });
  const portal = await startPortal({ folder });
  const { address } = portal;
  const contact = { cookie: `sid=${world.contact}`, origin: address };
  const staff = { cookie: `sid=${world.staff}`, origin: address };
  const pages = `${address}/clientcenter/en-us`;
  const list = `${address}/api/storage/v1/containers/documents?clientId=${world.clientId}`;
  const put = async (name: string, bytes: () => Iterable<Buffer>): Promise<string> => {
    const { body, length } = multipart([{ name, bytes }]);
    const url = `${address}/api/storage/v1/projects/${world.projectId}/documents`;
    const headers = { ...contact, 'content-type': MULTIPART };
    const answer = await send(url, { method: 'POST', headers, length, body });
    const [document] = (JSON.parse(answer) as { data: { id: string }[] }).data;
    return document?.id ?? '';
  };
  const table = await put('wide.csv', () => [Buffer.from(','.repeat(MB))]);
  const ledger = await put('ledger.pdf', () => [
    Buffer.from(pdfOf(Array.from({ length: 200 }, (_, sheet) => `Wages and salaries, page ${sheet}`))),
  ]);
  const block = randomBytes(MB);
  const files = Array.from({ length: 60 }, (_, i) => ({
    name: `Receipt ${i}.pdf`,
    bytes: () => [Buffer.from('%PDF-1.7\n'), block],
  }));
  const many = multipart(files);
  await send(`${address}/api/storage/v1/projects/${world.projectId}/documents`, {
    method: 'POST',
    headers: { ...contact, 'content-type': MULTIPART },
    length: many.length,
    body: many.body,
  });
  const shared = inWorld(folder, {
    do: 'share',
    contactId: world.contactId,
    containerId: world.projectId,
    most: files.length,
  });
  const words = ['payroll', 'p', 'payroll week', 'eek 0999'];
  const acts: Record<string, () => Promise<unknown>> = {
    'a table of a million cells, viewed': () => ask(`${pages}/documents/${table}/view`, { headers: contact }),
    'a PDF of 200 pages, viewed': async () => {
      await ask(`${pages}/documents/${ledger}/view`, { headers: contact });
    },
    'an upload of 200 MB': () =>
      put('large.pdf', function* () {
        yield Buffer.from('%PDF-1.7\n');
        for (let i = 0; i < 200; i += 1) yield block;
      }),
    'an archive of 60 MB': () =>
      ask(`${address}/api/storage/v2/sharing/links/${shared.token}/documents.zip`, {
        headers: { cookie: `visit=${shared.visit}` },
      }),
    'searches in 100,000 documents': async () => {
      for (let i = 0; i < 20; i += 1)
        await ask(`${list}&name=${encodeURIComponent(words[i % words.length] ?? '')}`, { headers: contact });
    },
    'searches in 10,000 clients': async () => {
      for (const term of ['another', 'a', '99', 'client 77'])
        await ask(`${pages}/staff/clients?searchTerm=${encodeURIComponent(term)}`, { headers: staff });
    },
    'the spreadsheet of 10,000 clients': () =>
      ask(`${address}/api/staff/v1/grids/clients/export?lang=en-us&format=xlsx`, { headers: staff }),
  };
  const rows: Row[] = [];
  for (const [what, act] of Object.entries(acts)) {
    progress(what);
    const busy = await longestWait(`${address}/healthz`, act);
    const idle = await longestWait(`${address}/healthz`, () => pause(busy.took));
    rows.push({
      what,
      unit: 'ms',
      figure: busy.longest,
      baseline: idle.longest,
      reach: [{ most: MAX_DELAY }],
      note: `the act took ${Math.round(busy.took)} ms`,
    });
  }
  await portal.end();
  return rows;
}
