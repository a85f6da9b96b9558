/** The names in the sprite that the build makes from lucide-static. */
export const ICON_NAMES = [
  'alert-triangle',
  'arrow-down',
  'arrow-up',
  'bell',
  'building-2',
  'check',
  'chevron-down',
  'chevron-left',
  'chevron-right',
  'circle-alert',
  'circle-check',
  'clock',
  'download',
  'file',
  'folder',
  'globe',
  'info',
  'log-out',
  'mail',
  'menu',
  'upload',
  'user',
  'users',
  'x',
] as const;
export type IconName = (typeof ICON_NAMES)[number];
export const ICONS = '/icons.svg';
