import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runTool } from '../../../scripts/toolchain.mjs';
import { formatDate, formatSize } from '#platform/text/formats.ts';
import { startBaseline } from '../support/baseline.ts';
import { ask, fire } from '../support/load.ts';
import type { Options } from '../support/options.ts';
import { scratchFolder, startPortal } from '../support/portal.ts';
import type { Program } from '../support/program.ts';
import type { Report, Row } from '../support/report.ts';
import { inWorld } from '../support/seed.ts';
import { inTurns } from '../support/turns.ts';

/**
 * The documents page in pieces: its markup before and after the rows, and the texts of the rows. The
 * baselines assemble it from these.
 */
export interface ListOfRows {
  head: string;
  tail: string;
  items: {
    id: string;
    name: string;
    folderId: string;
    folder: string;
    size: string;
    date: string;
    day: string;
    from: string;
    isRead: boolean;
  }[];
}

interface Listed {
  data: {
    items: {
      id: string;
      name: string;
      originalItemSize: number;
      createdDate: string;
      createdBy: string;
      isReadByClientUser: boolean;
      parent: { id: string; name: string };
    }[];
  };
}

/** ms of processor time. */
const [MAX_PAGE, MAX_LIST] = [4.5, 2.5];
const WARM = 400;
const SHOTS = 400;
const AT_ONCE = 4;

/**
 * Measures processor time per request, in a firm with 10³ documents, ten pages of them, with its real
 * database.
 */
export async function server({ runs, profiles }: Options): Promise<Report> {
  const folder = scratchFolder();
  const world = inWorld(folder, { do: 'make', documents: 1000 });
  const { token } = inWorld(folder, {
    do: 'share',
    contactId: world.contactId,
    containerId: world.folderId,
    most: 2,
  });
  const portal = await startPortal({
    folder,
    nodeArgs: profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(profiles)}`],
  });
  const cookie = { cookie: `sid=${world.contact}` };
  const page = `${portal.address}/clientcenter/en-us/`;
  const list = `${portal.address}/api/storage/v1/containers/documents?clientId=${world.clientId}`;
  const pieces = await piecesOf(`${page}documents`, list, cookie);
  const data = path.join(folder, 'rows.json');
  writeFileSync(data, JSON.stringify(pieces));
  const astro = await startBaseline('astro', await buildBareAstro(path.join(folder, 'bare'), data));
  const bare = await startBaseline('rows', data);

  const brotli = { 'accept-encoding': 'br' };
  const cost = (program: Program, url: string, headers: Record<string, string>) =>
    costOf(program, url, headers);
  const measures = {
    documents: await cost(portal, `${page}documents`, { ...cookie, ...brotli }),
    documentsPlain: await cost(portal, `${page}documents`, cookie),
    astro: await cost(astro, `${astro.address}/`, brotli),
    astroPlain: await cost(astro, `${astro.address}/`, {}),
    bare: await cost(bare, `${bare.address}/`, brotli),
    barePlain: await cost(bare, `${bare.address}/`, {}),
    list: await cost(portal, list, { ...cookie, ...brotli }),
    listPlain: await cost(portal, list, cookie),
    signIn: await cost(portal, `${page}auth`, brotli),
    share: await cost(portal, `${page}share/${token}`, brotli),
    health: await cost(portal, `${portal.address}/healthz`, {}),
  };
  const found = await inTurns(Math.max(3, runs), measures);
  await portal.end();
  await astro.end();
  await bare.end();

  const row = (what: string, figure: number, more: Partial<Row> = {}): Row => ({
    what,
    unit: 'ms',
    figure,
    ...more,
  });
  return {
    title: 'The server',
    how: [
      `Processor time of the whole process per request (user and system, /proc), ${SHOTS} requests a turn over ${AT_ONCE} kept connections, after ${WARM} to warm up.`,
      'Signed in, a client of 1,000 documents, 100 on the page. The baselines give the same markup: bare Astro renders the 100 rows from a constant (what stands around them is text), node:http puts strings together; both are compressed by the same library.',
    ],
    tables: [
      {
        title: 'As a browser asks: brotli',
        rows: [
          row('documents page, 100 rows', found.documents, {
            baseline: found.astro,
            inverse: true,
            reach: [{ most: MAX_PAGE }],
            note: 'baseline: bare Astro; ratio: its time : ours',
          }),
          row('API, list of 100', found.list, {
            baseline: found.bare,
            reach: [{ most: MAX_LIST }],
            note: 'baseline: node:http, 100 rows as HTML',
          }),
          row('sign-in page', found.signIn, { baseline: found.bare }),
          row('share page', found.share, { baseline: found.bare }),
          row('node:http, 100 rows', found.bare),
        ],
      },
      {
        title: 'Without compression',
        rows: [
          row('documents page, 100 rows', found.documentsPlain, {
            baseline: found.astroPlain,
            inverse: true,
            reach: [{ most: MAX_PAGE }],
            note: 'baseline: bare Astro; ratio: its time : ours',
          }),
          row('API, list of 100', found.listPlain, {
            baseline: found.barePlain,
            reach: [{ most: MAX_LIST }],
            note: 'baseline: node:http, 100 rows as HTML',
          }),
          row('/healthz: the front door alone', found.health, { baseline: found.barePlain }),
          row('node:http, 100 rows', found.barePlain),
        ],
      },
    ],
  };
}

/** Warms up a URL and returns the function that measures it. */
async function costOf(
  program: Program,
  url: string,
  headers: Record<string, string>,
): Promise<() => Promise<number>> {
  await fire(url, { headers }, WARM, AT_ONCE);
  return async () => {
    const before = program.cpu();
    await fire(url, { headers }, SHOTS, AT_ONCE);
    return (program.cpu() - before) / SHOTS;
  };
}

async function piecesOf(page: string, list: string, headers: Record<string, string>): Promise<ListOfRows> {
  const html = (await ask(page, { headers })).body.toString();
  const [head = '', rest = ''] = html.split(/<tbody[^>]*>/);
  const [, tail] = rest.split('</tbody>');
  if (tail === undefined)
    throw new Error(
      'The documents page has no table body any more: cut it elsewhere in tests/bench/parts/server.ts.',
    );
  const { data } = JSON.parse((await ask(list, { headers })).body.toString()) as Listed;
  const items = data.items.map((item) => ({
    id: item.id,
    name: item.name,
    folderId: item.parent.id,
    folder: item.parent.name,
    size: formatSize('en-US', item.originalItemSize),
    date: item.createdDate,
    day: formatDate('en-US', item.createdDate, 'UTC'),
    from: item.createdBy,
    isRead: item.isReadByClientUser,
  }));
  return { head: `${head}<tbody>`, tail: `</tbody>${tail}`, items };
}

const BARE_PAGE = `---
import { head, tail, items } from './rows.json';
---
<Fragment set:html={head} />
{items.map((item) => (
  <tr class:list={[!item.isRead && 'is-new']}>
    <td class="cell-pick">
      <label class="pick">
        <input type="checkbox" name="id" value={item.id} data-name={item.name} data-container={item.folderId} data-container-type="Folder" />
        <span class="visually-hidden">Select {item.name}</span>
      </label>
    </td>
    <th scope="row" class="cell-name">
      {!item.isRead && <span class="dot" />}
      <a href={\`/api/storage/v1/folders/\${item.folderId}/documents/\${item.id}\`} download><bdi>{item.name}</bdi></a>
      {!item.isRead && <span class="visually-hidden"> (unread)</span>}
    </th>
    <td class="number meta">{item.size}</td>
    <td class="number meta"><time datetime={item.date}>{item.day}</time></td>
    <td class="meta"><bdi>{item.folder}</bdi></td>
    <td class="meta"><bdi>{item.from}</bdi></td>
  </tr>
))}
<Fragment set:html={tail} />
`;

const BARE_CONFIG = `import node from '@astrojs/node';
export default { output: 'server', adapter: node({ mode: 'middleware' }), devToolbar: { enabled: false }, image: { service: { entrypoint: 'astro/assets/services/noop' } } };
`;

/** Builds an Astro project with one page in `folder` and returns its entry point. */
async function buildBareAstro(folder: string, data: string): Promise<string> {
  mkdirSync(path.join(folder, 'src/pages'), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  cpSync(data, path.join(folder, 'src/pages/rows.json'));
  writeFileSync(path.join(folder, 'package.json'), '{ "name": "bare", "type": "module" }');
  writeFileSync(path.join(folder, 'astro.config.mjs'), BARE_CONFIG);
  writeFileSync(path.join(folder, 'src/pages/index.astro'), BARE_PAGE);
  const code = await runTool('astro', ['build', '--root', folder, '--silent'], {
    env: { NODE_ENV: 'production' },
    stdio: 'inherit',
  });
  if (code !== 0)
    throw new Error('The bare Astro project, the baseline of the documents page, did not build.');
  return path.join(folder, 'dist/server/entry.mjs');
}
