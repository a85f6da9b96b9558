/* The table of the form as the editor sees it: its cells, where they are, and how one comes from one to another. */

export type CellInput = HTMLInputElement;

/** The cells that can be changed of each row that has any. */
export const rowsIn = (root: HTMLElement): CellInput[][] =>
  [...root.querySelectorAll('tbody tr')]
    .map((row) => [...row.querySelectorAll<CellInput>('input[name^="c."]')])
    .filter((cells) => cells.length > 0);

export const inputNamed = (root: HTMLElement, path: string): CellInput | undefined =>
  [...root.querySelectorAll<CellInput>('input[name^="c."]')].find(({ name }) => name === `c.${path}`);

/** The path of a cell in the queue, and its column. */
export const pathIn = ({ name }: CellInput): string => name.slice(2);
export const columnIn = ({ name }: CellInput): string => name.split('.')[2] ?? '';

/** Where a cell is among those that can be changed. */
function placeOf(rows: readonly CellInput[][], input: CellInput): { row: number; column: number } {
  const row = rows.findIndex((cells) => cells.includes(input));
  return { row, column: rows[row]?.indexOf(input) ?? -1 };
}

const isAtStart = ({ selectionStart, selectionEnd }: CellInput): boolean =>
  selectionStart === 0 && selectionEnd === 0;
const isAtEnd = ({ selectionStart, selectionEnd, value }: CellInput): boolean =>
  selectionStart === value.length && selectionEnd === value.length;
const isWhole = ({ selectionStart, selectionEnd, value }: CellInput): boolean =>
  selectionStart === 0 && selectionEnd === value.length;

/** The cell to which a key leads: up, down and Enter always, left and right where there is no text to go through. */
export function cellAfter(root: HTMLElement, input: CellInput, key: string): CellInput | undefined {
  const rows = rowsIn(root);
  const { row, column } = placeOf(rows, input);
  switch (key) {
    case 'ArrowUp':
      return rows[row - 1]?.[column];
    case 'ArrowDown':
    case 'Enter':
      return rows[row + 1]?.[column];
    case 'ArrowLeft':
      return isAtStart(input) || isWhole(input) ? rows[row]?.[column - 1] : undefined;
    case 'ArrowRight':
      return isAtEnd(input) || isWhole(input) ? rows[row]?.[column + 1] : undefined;
    default:
      return undefined;
  }
}

/** The cells that a block of texts covers, from a cell on to the right and down, with the text of each. */
export function coveredBy(
  root: HTMLElement,
  input: CellInput,
  block: readonly (readonly string[])[],
): { input: CellInput; text: string }[] {
  const rows = rowsIn(root);
  const { row, column } = placeOf(rows, input);
  return block.flatMap((texts, down) =>
    texts.flatMap((text, right) => {
      const covered = rows[row + down]?.[column + right];
      return covered && text.trim() !== '' ? [{ input: covered, text }] : [];
    }),
  );
}

/** Stores in the form what a cell is based on now, so that posting it is no conflict with what was saved. */
export function rebase(root: HTMLElement, path: string, [version, value]: [number, number | null]): void {
  const [employeeId = '', column = ''] = path.split('.');
  const base = root.querySelector<HTMLInputElement>(`input[name="b.${CSS.escape(employeeId)}"]`);
  if (!base) return;
  const known = JSON.parse(base.value) as Record<string, [number, number | null]>;
  base.value = JSON.stringify({ ...known, [column]: [version, value] });
}
