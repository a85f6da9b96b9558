import { html } from 'hono/html';
import { formatMoment, formatNumber, formatSize } from '#platform/text/formats.ts';
import { LANGUAGES } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { filesIn, textOf, type ExportedClient, type ExportScope } from '../contributions.server.ts';
import type { ExportedDocument } from './documents.ts';
import type { ListedFile } from './file-list.server.ts';

/*
 * The pages of an export, which open from the disk without a network: no scripts, nothing from elsewhere.
 */

export interface IndexedClient extends Omit<ExportedClient, 'pathOf'> {
  folder: string;
  documents: number;
  bytes: number;
}

const urlOf = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:0 auto;padding:1rem}table{border-collapse:collapse;width:100%}th,td{text-align:start;padding:.35rem .75rem .35rem 0;border-bottom:1px solid #ccc;overflow-wrap:anywhere}caption{text-align:start;font-weight:600;padding-top:1.5rem}td.number{white-space:nowrap;font-variant-numeric:tabular-nums}';

/** The page of the firm: its clients. */
export async function* firmIndex(
  scope: ExportScope,
  clients: readonly IndexedClient[],
  files: readonly ListedFile[],
): AsyncGenerator<string, void> {
  const { lang, firm } = scope;
  const [t, locale] = [translationsFor(lang, 'data-exports'), LANGUAGES[lang]];
  yield head(scope, firm.name);
  yield `<table><tr>${th(t('columnClient'))}${th(t('columnNumber'))}${th(t('columnDocuments'))}${th(t('columnSize'))}</tr>\n`;
  for (const { name, code, folder, documents, bytes, archivedAt } of clients)
    yield String(
      html`<tr>
        <td>
          <a href="${urlOf(`${folder}index.html`)}">${name}</a
          >${archivedAt === null ? '' : ` (${t('isArchived')})`}
        </td>
        <td>${code}</td>
        <td class="number">${formatNumber(locale, documents)}</td>
        <td class="number">${formatSize(locale, bytes)}</td>
      </tr> `,
    );
  yield `</table>${otherFiles(scope, files)}${foot(scope)}`;
}

/** The page of a client: its documents by folder. */
export async function* clientIndex(
  scope: ExportScope,
  { name }: ExportedClient,
  { documents, files }: { documents: readonly ExportedDocument[]; files: readonly ListedFile[] },
): AsyncGenerator<string, void> {
  const { lang, firm } = scope;
  const [t, locale] = [translationsFor(lang, 'data-exports'), LANGUAGES[lang]];
  yield head(scope, name);
  if (scope.clientId === null) yield String(html`<p><a href="../../index.html">${t('allClients')}</a></p>`);
  if (documents.length === 0) yield String(html`<p>${t('noDocument')}</p>`);
  const folders = [...Map.groupBy(documents, ({ folder }) => folder)].toSorted(([a], [b]) =>
    a.localeCompare(b, locale),
  );
  for (const [folder, own] of folders) {
    yield `<table>${String(
      html`<caption>
        ${folder || name}
      </caption>`,
    )}\n`;
    yield `<tr>${th(t('columnDocument'))}${th(t('columnSize'))}${th(t('columnAdded'))}${th(t('columnBy'))}</tr>\n`;
    for (const { path, name: title, size, addedAt, addedBy, problem } of own) {
      const cell =
        problem === ''
          ? html`<a href="${urlOf(path)}">${title}</a>`
          : html`${title} (${t(problem === 'infected' ? 'isInfected' : 'isDamaged')})`;
      yield String(
        html`<tr>
          <td>${cell}</td>
          <td class="number">${formatSize(locale, size)}</td>
          <td>${formatMoment(locale, addedAt, firm.timeZone)}</td>
          <td>${addedBy}</td>
        </tr> `,
      );
    }
    yield '</table>';
  }
  yield otherFiles(scope, files);
  yield foot(scope);
}

/** What the features contribute and is there, with what it is. */
function otherFiles(scope: ExportScope, listed: readonly ListedFile[]): string {
  const t = translationsFor(scope.lang, 'data-exports');
  const files = filesIn(scope).filter(({ name }) => listed.some(({ path }) => path === name));
  if (files.length === 0) return '';
  const rows = files.map(
    (file) =>
      html`<tr>
        <td><a href="${urlOf(file.name)}">${file.name}</a></td>
        <td>${textOf(scope, file)}</td>
      </tr> `,
  );
  const caption = html`<caption>
    ${t('otherFiles')}
  </caption>`;
  return `<table>${String(caption)}\n<tr>${th(t('columnFile'))}${th(t('columnContent'))}</tr>\n${rows.map(String).join('')}</table>`;
}

const th = (text: string): string => String(html`<th scope="col">${text}</th>`);

function head({ lang, firm, createdAt, actor }: ExportScope, title: string): string {
  const t = translationsFor(lang, 'data-exports');
  const moment = formatMoment(LANGUAGES[lang], createdAt, firm.timeZone);
  // in pieces: the formatter would close the elements of one template
  return [
    `<!doctype html>\n<html lang="${LANGUAGES[lang]}">\n<head>\n<meta charset="utf-8">\n`,
    '<meta name="viewport" content="width=device-width">\n',
    html`<title>${title}</title>`,
    `\n<style>${STYLE}</style>\n</head>\n<body>\n`,
    html`<h1>${title}</h1>`,
    html`<p>${t('readmeBy', { moment, name: actor.fullName })}</p>`,
  ].join('');
}

const foot = ({ lang }: ExportScope): string =>
  `${String(html`<p><small>${translationsFor(lang, 'data-exports')('indexFoot')}</small></p>`)}\n</body>\n</html>\n`;
