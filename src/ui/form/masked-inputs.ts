import {
  Maskito,
  maskitoChangeEventPlugin,
  type MaskitoOptions,
  type MaskitoPreprocessor,
} from '@maskito/core';
import { isMask, typingMask, withMask, withoutMask, type Mask } from '#platform/inputs/masks.ts';

/*
 * Puts the punctuation of a masked field while the person types, pastes or undoes, and leaves the caret where it is
 * (docs/decisions/0051). The server accepts the value with and without it.
 */

const masked = new WeakMap<HTMLInputElement, { mask: Mask; maskito: Maskito }>();

/** Masks the input with its mask, or with the one that is selected for it. */
export function maskInput(input: HTMLInputElement): void {
  const mask = maskOf(input);
  const current = masked.get(input);
  if (mask === current?.mask) return;
  current?.maskito.destroy();
  if (mask) masked.set(input, { mask, maskito: new Maskito(input, optionsOf(mask)) });
  else masked.delete(input);
}

function maskOf({ dataset, form }: HTMLInputElement): Mask | undefined {
  const select = form?.elements.namedItem(dataset['maskBy'] ?? '');
  const name = select instanceof HTMLSelectElement ? select.value : dataset['mask'];
  return isMask(name) ? name : undefined;
}

const optionsOf = (mask: Mask): MaskitoOptions => ({
  mask: typingMask(mask),
  plugins: [maskitoChangeEventPlugin()],
  preprocessors: [
    ({ elementState, data }) => ({
      elementState,
      // a whole number may have been copied with other punctuation, or with its prefix
      data: data.length > 1 ? withoutMask(mask, data) : data,
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
  const value = withMask(mask, state.value);
  return value === state.value ? state : { value, selection: [value.length, value.length] };
}
