import { ICONS, type IconName } from './icons.ts';
import { markup, type Markup } from './markup.ts';

/** An icon of the sprite in a row of a table: elsewhere it is Icon.astro. */
export const iconMarkup = (name: IconName): Markup =>
  markup`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><use href="${`${ICONS}#${name}`}"></use></svg>`;
