// Generates public/icons.svg, the sprite of the icons listed in src/ui/icons.ts. Run it after changing them.
import fs from 'node:fs';
import lucide from '@iconify-json/lucide/icons.json' with { type: 'json' };

/** Attributes common to all icons, which are in the styles of `.icon` instead. */
const COMMON =
  / (?:fill="none"|stroke="currentColor"|stroke-linecap="round"|stroke-linejoin="round"|stroke-width="2")/g;

/** @type {{ icons: Record<string, { body: string }>, aliases: Record<string, { parent: string }> }} */
const { icons, aliases } = lucide;
const names = [...fs.readFileSync('src/ui/icons.ts', 'utf8').matchAll(/^ {2}'([a-z0-9-]+)',$/gm)].map(
  ([, name = '']) => name,
);
const symbols = names.map((name) => {
  const icon = icons[name] ?? icons[aliases[name]?.parent ?? ''];
  if (!icon) throw new Error(`Lucide has no icon ${name}: see https://lucide.dev/icons.`);
  return `<symbol id="${name}" viewBox="0 0 24 24">${icon.body.replaceAll(COMMON, '').replace(/^<g>(.*)<\/g>$/, '$1')}</symbol>`;
});
fs.writeFileSync('public/icons.svg', `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>\n`);
