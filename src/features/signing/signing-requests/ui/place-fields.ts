import { fieldAt, initialsOf, WHOLE } from '#features/signing/signing/rules.ts';
import { FIELD_KINDS, type FieldKind, type PageSize } from '#features/signing/signing/signing.ts';

/*
 * Places fields on the images of the pages: a click adds one, dragging and the arrow keys move it. It edits the inputs
 * of the form with the fields as numbers, which is what is saved, so both always show the same.
 */

const SVG = 'http://www.w3.org/2000/svg';
/** A millimeter in points. */
const MM = 72 / 25.4;
/** Signers have one of so many colors, and their initials. */
const COLORS = 6;
const MIN_MM = 3;

/** A row of the form, in percent of the page. */
interface Row {
  index: number;
  kind: FieldKind;
  signer: number;
  page: number;
  x: number;
  y: number;
  width: number;
  height: number;
}
type Measure = 'x' | 'y' | 'width' | 'height';

interface Sheet {
  page: number;
  /** In points. */
  size: PageSize;
  svg: SVGSVGElement;
}

const started = new WeakSet<HTMLElement>();

/** Takes over the images in `pages` and the form beside them; does nothing the second time. */
export function placeFields(pages: HTMLElement): void {
  const form = document.querySelector<HTMLFormElement>('form#fields');
  if (!form || started.has(pages)) return;
  started.add(pages);
  const sheets = [...pages.querySelectorAll<HTMLElement>('[data-page]')].flatMap(sheetOf);
  for (const sheet of sheets) takeClicks(sheet, { form, pages });
  form.addEventListener('input', () => draw(form, sheets));
  draw(form, sheets);
}

function sheetOf(element: HTMLElement): Sheet[] {
  const svg = element.querySelector('svg');
  const { page, wide, high } = element.dataset;
  if (!svg) return [];
  // it was decoration before; the fields can be focused now
  svg.removeAttribute('aria-hidden');
  svg.setAttribute('role', 'group');
  svg.setAttribute('aria-label', element.querySelector('img')?.alt ?? '');
  return [{ page: Number(page), size: { width: Number(wide), height: Number(high) }, svg }];
}

// Rows of the form

const nameOf = (index: number, key: string): string => `fields[${index}].${key}`;

function control(form: HTMLFormElement, index: number, key: string): HTMLInputElement | HTMLSelectElement {
  const found = form.elements.namedItem(nameOf(index, key));
  if (found instanceof HTMLInputElement || found instanceof HTMLSelectElement) return found;
  throw new Error(`The form has no ${nameOf(index, key)}.`);
}

const countOf = (form: HTMLFormElement): HTMLInputElement =>
  form.elements.namedItem('fields.count') as HTMLInputElement;

const numberIn = (text: string): number => Number(text.replace(',', '.')) || 0;

/** The rows that are fields, in the order of the form. */
const rowsOf = (form: HTMLFormElement): Row[] =>
  Array.from({ length: Number(countOf(form).value) }, (_, index) => index).flatMap((index) => {
    const text = (key: string): string => control(form, index, key).value;
    const kind = FIELD_KINDS.find((each) => each === text('kind'));
    if (!kind) return [];
    const [x, y, width, height] = (['x', 'y', 'width', 'height'] as const).map((key) => numberIn(text(key)));
    return {
      index,
      kind,
      signer: Number(text('signer')) || 1,
      page: Number(text('page')) || 1,
      x: x ?? 0,
      y: y ?? 0,
      width: width ?? 0,
      height: height ?? 0,
    };
  });

/** Writes measures into the form, kept on the page. */
function change(form: HTMLFormElement, row: Row, changes: Partial<Record<Measure, number>>): void {
  const { x, y, width, height } = { ...row, ...changes };
  const [wide, high] = [Math.min(width, 100), Math.min(height, 100)];
  const all = {
    x: Math.min(Math.max(x, 0), 100 - wide),
    y: Math.min(Math.max(y, 0), 100 - high),
    width: wide,
    height: high,
  };
  for (const [key, value] of Object.entries(all))
    control(form, row.index, key).value = String(Math.round(value * 100) / 100);
  tell(form);
}

const tell = (form: HTMLFormElement): boolean => form.dispatchEvent(new Event('input', { bubbles: true }));

/** The index of a row without a field: an empty one, or a copy of the last. */
function freeRow(form: HTMLFormElement): number {
  const count = countOf(form);
  const used = new Set(rowsOf(form).map(({ index }) => index));
  const last = Number(count.value) - 1;
  const empty = Array.from({ length: last + 1 }, (_, index) => index).find((index) => !used.has(index));
  if (empty !== undefined) return empty;
  const card = control(form, last, 'kind').closest('[role=group]');
  const copy = card?.cloneNode(true);
  if (!card || !(copy instanceof HTMLElement)) return last;
  for (const element of [copy, ...copy.querySelectorAll('*')]) renumber(element, last, last + 1);
  copy.setAttribute('aria-label', (card.getAttribute('aria-label') ?? '').replace(/\d+$/u, String(last + 2)));
  const number = copy.querySelector('button .visually-hidden');
  if (number) number.textContent = String(last + 2);
  card.after(copy);
  count.value = String(last + 2);
  return last + 1;
}

function renumber(element: Element, from: number, to: number): void {
  for (const name of ['name', 'id', 'for', 'aria-describedby']) {
    const value = element.getAttribute(name);
    if (value !== null) element.setAttribute(name, value.replaceAll(`[${from}]`, `[${to}]`));
  }
  if (element instanceof HTMLButtonElement) element.value = element.value.replace(/\d+$/u, String(to));
}

// What is on the pages

function draw(form: HTMLFormElement, sheets: readonly Sheet[]): void {
  const focused = document.activeElement?.getAttribute('data-row');
  const rows = rowsOf(form);
  for (const sheet of sheets) {
    const shapes = rows.filter(({ page }) => page === sheet.page).map((row) => shapeOf(form, row, sheet));
    sheet.svg.replaceChildren(...shapes);
  }
  const again = sheets.map(({ svg }) => svg.querySelector<SVGElement>(`[data-row="${focused ?? ''}"]`));
  again.find(Boolean)?.focus();
}

function shape(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

function shapeOf(form: HTMLFormElement, row: Row, { svg, size }: Sheet): SVGElement {
  const { width: wide, height: high } = svg.viewBox.baseVal;
  const chosen = (key: string): string => {
    const select = control(form, row.index, key);
    return select instanceof HTMLSelectElement ? (select.selectedOptions[0]?.text ?? '') : '';
  };
  const signer = chosen('signer').replace(/^\d+\. /u, '');
  const text = `${initialsOf(signer)} · ${chosen('kind')}`;
  const box = {
    x: (row.x / 100) * wide,
    y: (row.y / 100) * high,
    width: (row.width / 100) * wide,
    height: (row.height / 100) * high,
  };
  const group = shape('g', {
    'data-row': row.index,
    'data-color': ((row.signer - 1) % COLORS) + 1,
    tabindex: 0,
    role: 'button',
    'aria-label': `${row.index + 1}. ${chosen('kind')}, ${signer}`,
    'aria-describedby': 'placing-hint',
  });
  const label = shape('text', { x: box.x + 4, y: box.y + box.height / 2 + 6 });
  label.textContent = text;
  const corner = { x: box.x + box.width - 8, y: box.y + box.height - 8, width: 16, height: 16 };
  group.append(shape('rect', box), label, shape('rect', { ...corner, class: 'corner' }));
  group.addEventListener('keydown', (event) => press(event, form, row, size));
  return group;
}

function press(event: KeyboardEvent, form: HTMLFormElement, row: Row, size: PageSize): void {
  const step = event.shiftKey ? 5 : 1;
  const [right, down] = [percent(step, size.width), percent(step, size.height)];
  const [wider, higher] = [percent(1, size.width), percent(1, size.height)];
  const narrowest = [percent(MIN_MM, size.width), percent(MIN_MM, size.height)] as const;
  const changes: Record<string, Partial<Record<Measure, number>>> = {
    ArrowLeft: { x: row.x - right },
    ArrowRight: { x: row.x + right },
    ArrowUp: { y: row.y - down },
    ArrowDown: { y: row.y + down },
    '+': { width: row.width + wider, height: row.height + higher },
    '-': {
      width: Math.max(narrowest[0], row.width - wider),
      height: Math.max(narrowest[1], row.height - higher),
    },
  };
  const found = changes[event.key];
  if (event.key === 'Delete') {
    control(form, row.index, 'kind').value = '';
    tell(form);
  } else if (found) change(form, row, found);
  else return;
  event.preventDefault();
}

/** Millimeters in percent of a length in points. */
const percent = (millimeters: number, points: number): number => ((millimeters * MM) / points) * 100;

/** A click adds a field of the chosen kind; dragging moves a field, or resizes it by its corner. */
function takeClicks(sheet: Sheet, { form, pages }: { form: HTMLFormElement; pages: HTMLElement }): void {
  const { svg } = sheet;
  const at = ({ clientX, clientY }: PointerEvent | MouseEvent) => {
    const { left, top, width, height } = svg.getBoundingClientRect();
    return { x: ((clientX - left) / width) * 100, y: ((clientY - top) / height) * 100 };
  };
  let dragged: { row: Row; from: { x: number; y: number }; isCorner: boolean } | undefined;
  svg.addEventListener('pointerdown', (event) => {
    const target = event.target instanceof Element ? event.target : undefined;
    const index = target?.closest('[data-row]')?.getAttribute('data-row');
    const row = rowsOf(form).find((each) => String(each.index) === index);
    if (!row) return;
    svg.querySelector<SVGElement>(`[data-row="${row.index}"]`)?.focus();
    dragged = { row, from: at(event), isCorner: target?.classList.contains('corner') === true };
    svg.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  svg.addEventListener('pointermove', (event) => {
    if (!dragged) return;
    const { row, from, isCorner } = dragged;
    const [right, down] = [at(event).x - from.x, at(event).y - from.y];
    const { width, height } = sheet.size;
    change(
      form,
      row,
      isCorner
        ? {
            width: Math.max(percent(MIN_MM, width), row.width + right),
            height: Math.max(percent(MIN_MM, height), row.height + down),
          }
        : { x: row.x + right, y: row.y + down },
    );
  });
  const end = (): void => void setTimeout(() => (dragged = undefined)); // after the click that ends a drag
  svg.addEventListener('pointerup', end);
  svg.addEventListener('pointercancel', end);
  svg.addEventListener('click', (event) => {
    if (!dragged) add(sheet, { form, pages, at: at(event) });
  });
}

function add(
  { page, size, svg }: Sheet,
  { form, pages, at }: { form: HTMLFormElement; pages: HTMLElement; at: { x: number; y: number } },
): void {
  const chosen = (name: string): string =>
    pages.querySelector<HTMLSelectElement>(`[data-new="${name}"]`)?.value ?? '';
  const kind = FIELD_KINDS.find((each) => each === chosen('kind')) ?? 'signature';
  const signer = Number(chosen('signer')) || 1;
  const [x, y] = [(at.x / 100) * WHOLE, (at.y / 100) * WHOLE];
  const field = fieldAt({ kind, signer, page, x, y }, size);
  const index = freeRow(form);
  for (const [key, value] of Object.entries({ kind, signer, page }))
    control(form, index, key).value = String(value);
  const required = control(form, index, 'required');
  if (required instanceof HTMLInputElement) required.checked = true;
  const inPercent = (value: number): number => (value / WHOLE) * 100;
  change(
    form,
    { index, kind, signer, page, x: 0, y: 0, width: 0, height: 0 },
    {
      x: inPercent(field.x),
      y: inPercent(field.y),
      width: inPercent(field.width),
      height: inPercent(field.height),
    },
  );
  svg.querySelector<SVGElement>(`[data-row="${index}"]`)?.focus();
}
