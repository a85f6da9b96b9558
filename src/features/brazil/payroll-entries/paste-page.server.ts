import { useActions } from '#platform/forms/actions.server.ts';
import { useForm } from '#platform/forms/forms.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { flashTo, refusedTo, sheetPath, type Page } from './client-page.server.ts';
import { pasteForm } from './forms.server.ts';
import { formatMonth } from './month-text.ts';
import type { PasteStart } from './paste.ts';
import { applyPaste, previewPaste, textOfFile } from './pasting.server.ts';
import { openSheet } from './sheets.server.ts';
import { IGNORED_TEXTS } from './texts.ts';

/** The cells that were ignored and are listed. */
const MAX_IGNORED = 50;

/** The cell in which somebody has pasted in the editor: `<employee>.<column>`. */
function startIn(text: string): PasteStart | undefined {
  const [employeeId, column] = text.split('.');
  return employeeId === undefined || column === undefined ? undefined : { employeeId, column };
}

/** Pastes from a spreadsheet or reads a file: first what would change, then the change. */
export async function pastePage(page: Page, sheetId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'payroll-entries');
  const to = pathTo(sheetPath(sheetId));
  let text: string | undefined;
  let start: PasteStart | undefined;
  let hasChanged = false;
  const pressed = await useActions(
    page,
    {
      apply: async (version, posted) => {
        text = String(posted.get('text') ?? '');
        start = startIn(String(posted.get('at') ?? ''));
        const count = await applyPaste(actor, sheetId, { text, version: Number(version), start });
        return flashTo(to, 'success', 'pasted', { count });
      },
    },
    ({ code }) => {
      hasChanged = code === 'CHANGED' || code === 'EDIT_CONFLICT';
      return hasChanged ? { to } : refusedTo(to, code);
    },
  );
  if (pressed && !hasChanged) return pressed;
  const form = await useForm(page, pasteForm, {
    submit: async (typed) => {
      const [file] = typed.file;
      start = startIn(typed.at);
      text = file && file.size > 0 ? await textOfFile(actor, file) : typed.text;
      return undefined;
    },
  });
  if (form instanceof Response) return form;
  const opened = await openSheet(actor, sheetId);
  if (!opened.isOpen) return redirectTo(to);
  const { pasted } = text === undefined ? {} : await previewPaste(actor, sheetId, text, start);
  if (hasChanged) page.response.status = 409;
  return {
    sheet: opened.sheet,
    month: formatMonth(lang, opened.sheet.competence),
    form,
    text,
    at: start ? `${start.employeeId}.${start.column}` : '',
    hasChanged,
    backHref: to,
    preview: pasted && {
      count: pasted.changes.length,
      text: t('pasteCounts', {
        filled: pasted.filled,
        replaced: pasted.replaced,
        ignored: pasted.ignored.length,
      }),
      ignored: pasted.ignored
        .slice(0, MAX_IGNORED)
        .map((each) => t(IGNORED_TEXTS[each.reason], { line: each.line, text: each.text.slice(0, 60) })),
    },
  };
}
