// Makes public/icons.svg, the sprite of the icons that src/ui/icons.ts names. Run it after a change there.
import fs from 'node:fs';

const names = [...fs.readFileSync('src/ui/icons.ts', 'utf8').matchAll(/^ {2}'([a-z0-9-]+)',$/gm)].map(([, name]) => name);
const symbols = names.map((name) => {
  const svg = fs.readFileSync(`node_modules/lucide-static/icons/${name}.svg`, 'utf8');
  const shapes = svg.slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.lastIndexOf('</svg>')).replace(/\s+/g, ' ').trim();
  return `<symbol id="${name}" viewBox="0 0 24 24">${shapes}</symbol>`;
});
fs.writeFileSync('public/icons.svg', `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>\n`);
