import { ICONS, type IconName } from './icons.ts';

/** Icon.astro for islands, with its styles. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    <use href={`${ICONS}#${name}`} />
  </svg>
);
