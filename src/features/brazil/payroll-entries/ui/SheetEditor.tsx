import { useStore } from '@nanostores/react';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { createAnswerQueue } from '#features/tasks/answer-editor/answer-queue.ts';
import { createTranslator, type Messages, type T } from '#platform/text/messages.ts';
import type { Lang } from '#platform/text/languages.ts';
import { leaveCells, sendCells } from '../calls.ts';
import { cellsOfText, columnNamed, pastedValue } from '../paste.ts';
import { readValue, shownText, typedText, type EntryColumn } from '../values.ts';
import type { SheetWord, ValueWord } from './sheet-messages.ts';
import {
  cellAfter,
  columnIn,
  coveredBy,
  inputNamed,
  pathIn,
  rebase,
  rowsIn,
  type CellInput,
} from './sheet-table.ts';

interface SheetEditorProps {
  sheetId: string;
  /** Where a block is pasted that is not only for the employees of this page. */
  pasteHref: string;
  lang: Lang;
  locale: string;
  columns: readonly EntryColumn[];
  isViewing: boolean;
  words: Messages<SheetWord>;
  valueTexts: Messages<ValueWord>;
  /** The form with the table, which works without this. */
  children?: ReactNode | undefined;
}

/** While the server renders there is nothing that was typed. */
const NO_STORAGE = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };

interface Block {
  cells: { input: CellInput; value: number }[];
  filled: number;
  replaced: number;
  ignored: number;
}

/**
 * Saves the cells of the form a moment after they were typed, and makes its table one of a spreadsheet: arrows and Enter go
 * from cell to cell, Ctrl+D takes the value above, and a block of cells is pasted after a preview, and undone in one step.
 */
export function SheetEditor(props: SheetEditorProps) {
  const { columns, locale, children } = props;
  const t = useMemo(() => createTranslator(props.words), [props.words]);
  const problems = useMemo(() => createTranslator(props.valueTexts), [props.valueTexts]);
  const root = useRef<HTMLDivElement>(null);
  const queue = useQueue(props, root);
  const [block, setBlock] = useState<Block>();
  const [whole, setWhole] = useState<{ text: string; at: string }>();
  const [before, setBefore] = useState<{ input: CellInput; text: string }[]>([]);
  const columnOf = (input: CellInput) => columns.find(({ key }) => key === columnIn(input));

  /** Reads a cell: what is wrong is said beside it, and stays where it is. */
  const take = (input: CellInput): void => {
    const column = columnOf(input);
    if (!column) return;
    const read = readValue(column, input.value);
    mark(input, 'problem' in read ? problems(read.problem) : '');
    if ('problem' in read) return;
    queue.change({
      path: pathIn(input),
      value: read.value as never,
      typed: [[input.name, [input.value]]],
      isSensitive: false,
    });
  };
  const write = (input: CellInput, text: string): void => {
    input.value = text;
    take(input);
  };
  const apply = ({ cells }: Block): void => {
    setBefore(cells.map(({ input }) => ({ input, text: input.value })));
    for (const { input, value } of cells) {
      const column = columnOf(input);
      if (column) write(input, typedText(column, value, locale));
    }
    setBlock(undefined);
  };
  const undo = (): void => {
    for (const { input, text } of before) write(input, text);
    setBefore([]);
  };

  useEffect(() => {
    const element = root.current;
    if (!element) return undefined;
    const cellIn = ({ target }: Event): CellInput | undefined =>
      target instanceof HTMLInputElement && target.name.startsWith('c.') ? target : undefined;
    const onInput = (event: Event): void => {
      const input = cellIn(event);
      if (input) take(input);
    };
    const onFocus = (event: FocusEvent): void => cellIn(event)?.select();
    const onKey = (event: KeyboardEvent): void => {
      const input = cellIn(event);
      if (!input || event.altKey || event.shiftKey) return;
      if ((event.ctrlKey || event.metaKey) && event.key === 'z' && before.length > 0) {
        event.preventDefault();
        undo();
        return;
      }
      if ((event.ctrlKey || event.metaKey) && event.key === 'd') {
        event.preventDefault();
        const above = cellAfter(element, input, 'ArrowUp');
        if (above) write(input, above.value);
        return;
      }
      if (event.ctrlKey || event.metaKey) return;
      if (event.key === 'F2') input.setSelectionRange(input.value.length, input.value.length);
      if (event.key === 'Escape') write(input, input.defaultValue);
      const next = cellAfter(element, input, event.key);
      // Enter in the last row saves the page, as without scripts
      if (!next) return;
      event.preventDefault();
      next.focus();
    };
    const onPaste = (event: ClipboardEvent): void => {
      const input = cellIn(event);
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (!input || !/[\t\n]/.test(text.trim())) return;
      event.preventDefault();
      const table = cellsOfText(text);
      const isWhole = isForWholeSheet(element, input, table, columns);
      setWhole(isWhole ? { text, at: pathIn(input) } : undefined);
      setBlock(isWhole ? undefined : blockOf(coveredBy(element, input, table), columns));
    };
    element.addEventListener('input', onInput);
    element.addEventListener('focusin', onFocus);
    element.addEventListener('keydown', onKey);
    element.addEventListener('paste', onPaste);
    return () => {
      element.removeEventListener('input', onInput);
      element.removeEventListener('focusin', onFocus);
      element.removeEventListener('keydown', onKey);
      element.removeEventListener('paste', onPaste);
    };
  });
  // what was typed before these listeners were added
  useEffect(() => {
    const restored = new Set(queue.restored().map(([name]) => name));
    for (const input of root.current ? rowsIn(root.current).flat() : [])
      if (input.value !== input.defaultValue && !restored.has(input.name)) take(input);
  }, []);

  return (
    <div className="stack">
      <SheetStatus {...{ queue, t }} />
      {block && (
        <div className="alert alert-info row" role="status">
          <p>
            {t('pasteCounts', { filled: block.filled, replaced: block.replaced, ignored: block.ignored })}
          </p>
          {block.cells.length > 0 && (
            <button type="button" className="button button-primary" onClick={() => apply(block)}>
              {t('pasteApply', { count: block.cells.length })}
            </button>
          )}
          <button type="button" className="button" onClick={() => setBlock(undefined)}>
            {t('cancel')}
          </button>
        </div>
      )}
      {whole && (
        <form
          method="post"
          action={props.pasteHref}
          encType="multipart/form-data"
          className="alert alert-info row"
        >
          <input type="hidden" name="form" value="paste" />
          <input type="hidden" name="at" value={whole.at} />
          <textarea name="text" hidden readOnly value={whole.text} />
          <p role="status">{t('pasteWhole')}</p>
          <button className="button button-primary">{t('pastePreview')}</button>
          <button type="button" className="button" onClick={() => setWhole(undefined)}>
            {t('cancel')}
          </button>
        </form>
      )}
      {before.length > 0 && (
        <p>
          <button type="button" className="button" onClick={undo}>
            {t('undo', { count: before.length })}
          </button>
        </p>
      )}
      <Conflicts {...{ queue, root, columns, locale, t }} onTheirs={mark} />
      <div ref={root}>{children}</div>
    </div>
  );
}

/**
 * Whether a block is not only for the employees below a cell of this page: it is longer, or it names columns or employees,
 * which the server looks for in the whole sheet.
 */
function isForWholeSheet(
  root: HTMLElement,
  input: CellInput,
  table: readonly (readonly string[])[],
  columns: readonly EntryColumn[],
): boolean {
  const rows = rowsIn(root);
  const below = rows.length - rows.findIndex((cells) => cells.includes(input));
  const names = new Set(
    [...root.querySelectorAll('tbody th bdi, tbody th bdi + small')].map(({ textContent }) => textContent),
  );
  const isHeader = (table[0] ?? []).some((cell) => columnNamed(columns, cell) !== undefined);
  return table.length > below || isHeader || table.every(([first = '']) => names.has(first.trim()));
}

type Queue = ReturnType<typeof createAnswerQueue>;
type Root = { readonly current: HTMLDivElement | null };

/** The queue of what was typed; what an earlier page of this tab could not save is in the form again. */
function useQueue({ sheetId, lang, isViewing }: SheetEditorProps, root: Root): Queue {
  const [queue] = useState(() =>
    createAnswerQueue({
      ownerId: sheetId,
      language: lang,
      versions: {},
      rows: {},
      send: async (body) => {
        const based = body.changes.map((change) => ({
          ...change,
          base: root.current ? (baseIn(root.current, change.path) ?? change.base) : change.base,
        }));
        const sent = await sendCells(sheetId, { ...body, changes: based });
        if (sent.kind === 'results')
          for (const [at, { path, result, version }] of sent.results.entries()) {
            const value = based[at]?.value;
            if (result === 'saved' && root.current)
              rebase(root.current, path, [version, typeof value === 'number' ? value : null]);
          }
        return sent;
      },
      storage: typeof sessionStorage === 'undefined' ? NO_STORAGE : sessionStorage,
      who:
        typeof document === 'undefined'
          ? ''
          : (document.querySelector<HTMLElement>('[data-who]')?.dataset['who'] ?? ''),
      isReadOnly: isViewing,
    }),
  );
  useEffect(() => {
    for (const [name, [text = '']] of queue.restored()) {
      const input = root.current && inputNamed(root.current, name.slice(2));
      if (input) input.value = text;
    }
    if (queue.hasUnsaved()) void queue.flush();
    const onLeave = (): void => queue.leave((body) => leaveCells(sheetId, body));
    addEventListener('pagehide', onLeave);
    return () => removeEventListener('pagehide', onLeave);
  }, [queue, root, sheetId]);
  const state = useStore(queue.$state, { ssr: 'initial' });
  useEffect(() => {
    if (state !== 'closed' || !root.current) return;
    // nothing more is kept, so that nothing more is typed
    for (const input of rowsIn(root.current).flat()) input.readOnly = true;
  }, [state, root]);
  return queue;
}

/** The version that the form says a cell is based on. */
function baseIn(root: HTMLElement, path: string): number | undefined {
  const [employeeId = '', column = ''] = path.split('.');
  const base = root.querySelector<HTMLInputElement>(`input[name="b.${CSS.escape(employeeId)}"]`);
  const known = base ? (JSON.parse(base.value) as Record<string, [number, number | null]>) : {};
  return base ? (known[column]?.[0] ?? 0) : undefined;
}

/** Says beside a cell what is wrong with it; nothing if nothing is. */
function mark(input: CellInput, text: string): void {
  const id = `${input.name}-error`;
  const found = document.getElementById(id);
  if (text === '') {
    found?.remove();
    input.removeAttribute('aria-invalid');
    input.removeAttribute('aria-describedby');
    return;
  }
  const note = found ?? document.createElement('p');
  note.id = id;
  note.className = 'field-error';
  note.textContent = text;
  if (!found) input.after(note);
  input.setAttribute('aria-invalid', 'true');
  input.setAttribute('aria-describedby', id);
}

/** What pasting would change of these cells. */
function blockOf(
  covered: readonly { input: CellInput; text: string }[],
  columns: readonly EntryColumn[],
): Block {
  const block: Block = { cells: [], filled: 0, replaced: 0, ignored: 0 };
  for (const { input, text } of covered) {
    const column = columns.find(({ key }) => key === columnIn(input));
    const value = column && pastedValue(column, text.trim());
    if (typeof value !== 'number') block.ignored += 1;
    else {
      if (input.value === '') block.filled += 1;
      else block.replaced += 1;
      block.cells.push({ input, value });
    }
  }
  return block;
}

const STATE_WORDS = {
  saving: 'editorSaving',
  saved: 'editorSaved',
  waiting: 'editorWaiting',
  refused: 'editorRefused',
  closed: 'editorClosed',
} as const satisfies Partial<Record<string, SheetWord>>;

/** Whether everything is saved, and that the sheet was closed or sent meanwhile. */
function SheetStatus({ queue, t }: { queue: Queue; t: T<SheetWord> }) {
  const state = useStore(queue.$state, { ssr: 'initial' });
  const word = (STATE_WORDS as Partial<Record<string, SheetWord>>)[state];
  const isOver = state === 'closed' || state === 'refused';
  return (
    <div className={isOver ? 'alert alert-warning row' : 'row'} role="status" data-saving-state={state}>
      {word && <p className={isOver ? '' : 'hint'}>{t(word)}</p>}
      {isOver && (
        <a className="button" href="">
          {t('editorReload')}
        </a>
      )}
    </div>
  );
}

interface ConflictsProps {
  queue: Queue;
  root: Root;
  columns: readonly EntryColumn[];
  locale: string;
  t: T<SheetWord>;
  onTheirs: (input: CellInput, text: string) => void;
}

/** Cells that somebody else has changed meanwhile: theirs or one's own is chosen, and nothing is replaced before. */
function Conflicts({ queue, root, columns, locale, t, onTheirs }: ConflictsProps) {
  const conflicts = useStore(queue.$conflicts, { ssr: 'initial' });
  return Object.entries(conflicts).map(([path, { stored, kept, version }]) => {
    const input = root.current ? inputNamed(root.current, path) : undefined;
    const column = columns.find(({ key }) => key === path.split('.')[1]);
    if (!input || !column) return null;
    const theirs = stored === '' ? null : Number(stored);
    const mine = kept === '' ? null : Number(kept);
    const decide = (value: number | null): void => {
      if (root.current) rebase(root.current, path, [version, theirs]);
      input.value = typedText(column, value, locale);
      onTheirs(input, '');
      queue.decide(path, {
        value: value as never,
        typed: [[input.name, [input.value]]],
        isSensitive: false,
      });
    };
    return (
      <div key={path} className="alert alert-warning row" role="alert" data-conflict="">
        <p>
          {t(theirs === null ? 'editorConflictEmpty' : 'editorConflict', {
            cell: input.getAttribute('aria-label') ?? '',
            value: shownText(column, theirs, locale),
          })}
        </p>
        <button type="button" className="button" onClick={() => decide(theirs)}>
          {t('keepTheirs')}
        </button>
        <button type="button" className="button" onClick={() => decide(mine)}>
          {t('keepMine')}
        </button>
      </div>
    );
  });
}
