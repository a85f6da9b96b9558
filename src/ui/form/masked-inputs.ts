import {
  Maskito,
  maskitoChangeEventPlugin,
  maskitoTransform,
  maskitoUpdateElement,
  type MaskitoOptions,
  type MaskitoPreprocessor,
} from '@maskito/core';
import { isDate } from '#platform/inputs/dates.ts';
import {
  exceedsMask,
  isMask,
  typedText,
  typingMask,
  withMask,
  withoutMask,
  type Mask,
} from '#platform/inputs/masks.ts';

/*
 * Puts the punctuation of a masked field while the person types, pastes or undoes, and leaves the caret where it is
 * (docs/decisions/0051). The server accepts the value with and without it.
 */

const masked = new WeakMap<HTMLInputElement, { mask: Mask; maskito: Maskito }>();

/** Inputs that had a mask, or were too long for it. */
const seen = new WeakSet<HTMLInputElement>();

/**
 * Masks the input with its mask, or with the one that is selected for it. What was typed before this script was there
 * is fitted as if it had been typed now; a composition of an input method is fitted when it ends.
 */
export function maskInput(input: HTMLInputElement): void {
  const mask = maskOf(input);
  if (mask === masked.get(input)?.mask) return;
  unmask(input);
  if (!mask) return;
  const early = seen.has(input) || input.value === input.defaultValue ? undefined : typedState(mask, input);
  seen.add(input);
  // what is too long stays as it was typed, for the server to refuse
  if (exceedsMask(mask, early?.value ?? input.value)) return;
  if (mask === 'date') loadDateReader();
  const options = optionsOf(mask);
  masked.set(input, { mask, maskito: new Maskito(input, options) });
  if (early && input.dataset['composing'] === undefined)
    maskitoUpdateElement(input, maskitoTransform(early, { ...options, preprocessors: [] }));
}

let readDate = (text: string): string => text;
let reader: Promise<void> | undefined;

/** Loads what reads dates, which only pages with dates need. */
function loadDateReader(): void {
  reader ??= import('#platform/inputs/typed-dates.ts').then(({ dateFromText }) => {
    readDate = dateFromText;
  });
}

/** A day or month of one digit that a separator ends. */
const ONE_DIGIT = /(?<!\d)\d(?=[/.\-\s])/g;

/** The state of an input with only what could have been typed into it with its mask. */
function typedState(mask: Mask, input: HTMLInputElement): State {
  const { value, defaultValue, selectionStart, selectionEnd } = input;
  const hidden = defaultValue.slice(0, defaultValue.lastIndexOf('*') + 1);
  const isHidden = hidden !== '' && value.startsWith(hidden); // rendered, since nobody types it
  const typed = (end: number | null): string => {
    const early = value.slice(0, end ?? value.length);
    const text = typedText(mask, mask === 'date' ? early.replaceAll(ONE_DIGIT, '0$&') : early);
    return isHidden ? text : text.replaceAll('*', '');
  };
  return {
    value: typed(null),
    selection: [typed(selectionStart).length, typed(selectionEnd).length],
  };
}

function maskOf({ dataset, form }: HTMLInputElement): Mask | undefined {
  const select = form?.elements.namedItem(dataset['maskBy'] ?? '');
  const name = select instanceof HTMLSelectElement ? select.value : dataset['mask'];
  return isMask(name) ? name : undefined;
}

function unmask(input: HTMLInputElement): void {
  masked.get(input)?.maskito.destroy();
  masked.delete(input);
}

/** Keeps a number whole that is pasted or filled in and too long for the mask, which would cut it to another one. */
function keepLongNumber(event: Event): void {
  const input = event.target;
  if (!(input instanceof HTMLInputElement)) return;
  const mask = masked.get(input)?.mask;
  if (mask && exceedsMask(mask, readWhole(mask, wholeNumber(event, input)))) unmask(input);
  // a month may be written with its name
  else if (mask === 'date' && event instanceof InputEvent && /\p{L}/u.test(event.data ?? '')) unmask(input);
}

/** A date as the mask has it, however it was written; anything else as it is. */
function readWhole(mask: Mask, text: string): string {
  const date = mask === 'date' ? readDate(text) : '';
  return isDate(date) ? withMask('date', date) : text;
}

/** Shows how a date was read that somebody wrote in another form, when they leave its field. */
function showDate({ target: input }: Event): void {
  if (!(input instanceof HTMLInputElement) || maskOf(input) !== 'date') return;
  const date = readWhole('date', input.value);
  if (date === input.value) return;
  unmask(input);
  input.value = date;
  maskInput(input);
}

/** What was pasted or filled in at once; empty for what was typed. */
function wholeNumber(event: Event, input: HTMLInputElement): string {
  const { inputType = '', data = '' } = event instanceof InputEvent ? event : {};
  if (event.type === 'beforeinput') return inputType === 'insertFromPaste' ? (data ?? '') : '';
  return inputType === '' ? input.value : '';
}

/** Changes the masks that a select chooses at once: with the next focus, letters typed by then would be lost. */
function changeMasks({ target }: Event): void {
  if (!(target instanceof HTMLSelectElement)) return;
  for (const input of target.form?.elements ?? [])
    if (input instanceof HTMLInputElement && input.dataset['maskBy'] === target.name) maskInput(input);
}

document.addEventListener('change', changeMasks);
document.addEventListener('change', showDate);
document.addEventListener('beforeinput', keepLongNumber, { capture: true });
document.addEventListener('input', keepLongNumber, { capture: true });

/** A day or month of one digit gets its zero with the separator that is typed after it: `1/2/2027`. */
const padPart: MaskitoPreprocessor = ({ elementState, data }) => {
  const { value, selection } = elementState;
  const [from, to] = selection;
  const [part] = /(?<!\d)\d$/.exec(value.slice(0, from)) ?? [];
  if (!/^[/.\-\s]$/.test(data) || part === undefined || from !== to || from !== value.length || from > 4)
    return { elementState, data };
  const padded = `${value.slice(0, -1)}0${part}`;
  return { elementState: { value: padded, selection: [padded.length, padded.length] }, data: '/' };
};

const optionsOf = (mask: Mask): MaskitoOptions => ({
  mask: typingMask(mask),
  plugins: [maskitoChangeEventPlugin()],
  preprocessors: [
    ...(mask === 'date' ? [padPart] : []),
    ({ elementState, data }) => ({
      elementState,
      // a whole number may have been copied with other punctuation, or with its prefix
      data:
        data.length > 1 ? withoutMask(mask, readWhole(mask, data)) : data.normalize('NFKC').replace('*', ''), // nobody types what is hidden
    }),
    // the browser fills in a whole number at once
    ({ elementState, data }, action) => ({
      elementState: action === 'validation' ? whole(mask, elementState) : elementState,
      data,
    }),
  ],
  postprocessors: [({ value, selection }) => ({ value: value.toUpperCase(), selection })],
});

type State = Parameters<MaskitoPreprocessor>[0]['elementState'];

function whole(mask: Mask, state: State): State {
  const text = state.value.normalize('NFKC');
  // while a date is typed, the first two digits of its year are not a year
  const isTyping = mask === 'date' && /^[\d/]*$/.test(text) && !/\/\d{4}$/.test(text);
  const value = withMask(mask, isTyping ? text : readWhole(mask, text));
  return value === state.value ? state : { value, selection: [value.length, value.length] };
}
