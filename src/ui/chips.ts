import type { IconName } from './icons.ts';

/** The meanings of the colors of a chip; each has words and an icon, too. */
export const CHIP_TONES = ['neutral', 'info', 'success', 'warning', 'danger'] as const;

/** The icons of states. */
export const CHIP_ICONS = [
  'alert-triangle',
  'ban',
  'circle-alert',
  'circle-check',
  'circle-dashed',
  'circle-dot',
  'clock',
  'inbox',
  'lock',
  'mail',
  'undo-2',
] as const satisfies readonly IconName[];

/** How a state looks: chip.css. */
export interface Chip {
  tone: (typeof CHIP_TONES)[number];
  icon: (typeof CHIP_ICONS)[number];
}
