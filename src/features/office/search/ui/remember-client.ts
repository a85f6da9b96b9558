/* Remembers the client whose page this is for the list under the search field: the id alone, the last one first. */

import { MAX_RECENT } from '../rules.ts';

const recent = document.querySelector<HTMLElement>('[data-recent]')?.dataset['recent'];
const [, client] = /\/staff\/clients\/(\w+_\w+)$/.exec(location.pathname) ?? [];
if (recent !== undefined && client !== undefined) {
  const others = String(localStorage[recent] ?? '')
    .split(',')
    .filter(Boolean);
  localStorage[recent] = [...new Set([client, ...others])].slice(0, MAX_RECENT).join(',');
}
